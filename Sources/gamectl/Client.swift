import EventLoop
import RPC
import Shell
internal import Support
import Timers

/// A connection to the daemon: asks, and hands out what comes one message at a time.
final class Client {
    let loop: LibeventLoop
    private let patience: Duration
    private let socket: Socket
    private var readable: DescriptorWatcher?
    private var writable: DescriptorWatcher?
    private var reader = LineReader()
    private var unsent: [UInt8] = []
    /// A descriptor that goes out with the next bytes.
    private var passing: Int32?
    private var messages: [Message] = []
    private var end: Failure?
    private var lastID = 0

    /// Connects; `patience` is how long an answer may take.
    init(_ place: ClientSocket, on loop: LibeventLoop, patience: Duration) throws(Failure) {
        (self.loop, self.patience) = (loop, patience)
        socket = try Socket(place, patience: patience)
        do {
            readable = try DescriptorWatcher(socket.descriptor, .readable, on: loop) {
                [weak self] in
                self?.read()
            }
            writable = try DescriptorWatcher(socket.descriptor, .writable, on: loop, isAwake: false)
            {
                [weak self] in self?.write()
            }
        } catch { throw .unreachable("no event loop: \(error)") }
    }

    /// Asks, and returns the answer. What else comes meanwhile is kept for `next`. `time` is how long the answer
    /// may take if that is not as long as for the others. The daemon gets a copy of a descriptor that is passed.
    func call(
        _ request: Request, within time: Duration? = nil, passing descriptor: Int32? = nil
    ) throws(Failure) -> Message.Answer {
        let patience = time ?? patience
        passing = descriptor
        let id = send(request)
        let deadline = Deadline(patience, on: loop)
        var kept: [Message] = []
        defer { messages = kept + messages }
        while true {
            guard let message = try next(until: deadline) else {
                let limit = DurationText.write(patience)
                throw .timedOut("no answer to \(request.method.name) within \(limit)")
            }
            switch message {
            case .notice: kept.append(message)
            // Without an id: the daemon could not read the line so far, and there is only this one.
            case .reply(id, let result), .reply(nil, let result):
                do { return try result.get() } catch { throw .refused(error) }
            case .reply(let other, _):
                throw .fault("an answer to \(other.map(String.init) ?? "null"), not to \(id)")
            }
        }
    }

    /// Asks and does not wait; the number its answer will have.
    @discardableResult func send(_ request: Request) -> Int {
        lastID += 1
        unsent += request.line(id: lastID)
        write()
        return lastID
    }

    /// The next message, waited for until the deadline; nil when that is over.
    func next(until deadline: Deadline? = nil) throws(Failure) -> Message? {
        while true {
            if !messages.isEmpty { return messages.removeFirst() }
            if let end { throw end }
            if deadline?.isOver == true { return nil }
            loop.run()
        }
    }

    /// Lets time go on until the deadline, whatever comes meanwhile.
    static func pause(_ interval: Duration, on loop: LibeventLoop) {
        let deadline = Deadline(interval, on: loop)
        while !deadline.isOver { loop.run() }
    }

    // MARK: what the loop calls

    private func read() {
        guard end == nil else { return }
        defer { loop.stop() }
        do throws(Failure) {
            guard try socket.read({ reader.append($0) }) else { return }
            while let line = try reader.next() {
                if !line.isEmpty { messages.append(try Message(line)) }
            }
        } catch { finish(error) }
    }

    private func write() {
        guard end == nil, !unsent.isEmpty else { return }
        do throws(Failure) {
            let count = try socket.write(unsent, passing: passing)
            if count > 0 { passing = nil }
            unsent.removeFirst(count)
            if unsent.isEmpty { writable?.sleep() } else { writable?.wake() }
        } catch {
            // What the daemon said before it went away is still to be read, and ends with its end.
            unsent = []
            writable?.sleep()
        }
    }

    private func finish(_ failure: Failure) {
        end = failure
        readable?.sleep()
        writable?.sleep()
    }
}
