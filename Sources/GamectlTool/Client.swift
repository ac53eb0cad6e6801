import CLinux
import EventLoop
import Glibc
import RPC
import Shell
internal import Support
import Timers

/// A connection to the daemon: sends requests, and returns replies and notifications one at a time.
final class Client {
    let loop: LibeventLoop
    private let timeout: Duration
    private let socket: Socket
    private var readable: DescriptorWatcher?
    private var writable: DescriptorWatcher?
    private var reader = LineReader()
    private var unsent: [UInt8] = []
    /// A descriptor to send with the next bytes.
    private var unsentDescriptor: Int32?
    /// The received messages that `next` has not returned.
    private var messages: [Message] = []
    /// Why the connection ended; nil while it is open.
    private var end: CommandError?
    private var lastID = 0

    /// Connects. `timeout` limits the time to connect and the time to each reply.
    init(_ address: ClientSocket, on loop: LibeventLoop, timeout: Duration) throws(CommandError) {
        (self.loop, self.timeout) = (loop, timeout)
        socket = try Socket(address, timeout: timeout)
        do {
            readable = try DescriptorWatcher(socket.descriptor, .readable, on: loop) {
                [weak self] in
                self?.read()
            }
            writable = try DescriptorWatcher(
                socket.descriptor, .writable, on: loop, isEnabled: false
            ) {
                [weak self] in self?.write()
            }
        } catch { throw .unreachable("no event loop: \(error)") }
    }

    /// Sends a request and returns its reply. Notifications that arrive before the reply are kept for `next`.
    /// `time` replaces the timeout for this request. The daemon receives a copy of `descriptor`.
    func call(
        _ request: Request, within time: Duration? = nil, passing descriptor: Int32? = nil
    ) throws(CommandError) -> Message.MethodResult {
        let timeout = time ?? timeout
        unsentDescriptor = descriptor
        let id = send(request)
        let deadline = Deadline(timeout, on: loop)
        var notifications: [Message] = []
        defer { messages = notifications + messages }
        while true {
            guard let message = try next(until: deadline) else {
                let limit = DurationText.write(timeout)
                throw .timedOut("no answer to \(request.method.name) within \(limit)")
            }
            switch message {
            case .notification: notifications.append(message)
            // The daemon sends a null id if it could not read the id; only this request is outstanding.
            case .reply(id, let result), .reply(nil, let result):
                do { return try result.get() } catch { throw .refused(error) }
            case .reply(let other, _):
                throw .protocolError(
                    "a reply to request \(other.map(String.init) ?? "null"), not \(id)")
            }
        }
    }

    /// Sends a request without waiting; returns the id of its reply.
    @discardableResult func send(_ request: Request) -> Int {
        lastID += 1
        unsent += request.line(id: lastID)
        write()
        return lastID
    }

    /// Waits for the next message; nil after the deadline.
    func next(until deadline: Deadline? = nil) throws(CommandError) -> Message? {
        while true {
            if !messages.isEmpty { return messages.removeFirst() }
            if let end { throw end }
            if deadline?.isOver == true { return nil }
            loop.run()
        }
    }

    /// Runs the loop for `duration`.
    static func pause(_ duration: Duration, on loop: LibeventLoop) {
        let deadline = Deadline(duration, on: loop)
        while !deadline.isOver { loop.run() }
    }

    // MARK: callbacks of the loop

    private func read() {
        guard end == nil else { return }
        defer { loop.stop() }
        do throws(CommandError) {
            guard try socket.read({ reader.append($0) }) else { return }
            while let line = try reader.next() {
                if !line.isEmpty { messages.append(try Message(line)) }
            }
        } catch { finish(error) }
    }

    private func write() {
        guard end == nil, !unsent.isEmpty else { return }
        do throws(CommandError) {
            let count = try socket.write(unsent, passing: unsentDescriptor)
            if count > 0 { unsentDescriptor = nil }
            unsent.removeFirst(count)
            if unsent.isEmpty { writable?.disable() } else { writable?.enable() }
        } catch {
            // Replies that the daemon sent before it closed can still be read; `read` then finds the end.
            unsent = []
            writable?.disable()
        }
    }

    private func finish(_ error: CommandError) {
        end = error
        readable?.disable()
        writable?.disable()
    }
}

/// A connected UNIX socket, closed when it is released.
struct Socket: ~Copyable {
    let descriptor: Int32

    /// Connects. Waits at most `timeout` if the daemon's accept backlog is full. Wraps connect(2).
    init(_ address: ClientSocket, timeout: Duration) throws(CommandError) {
        let path = address.path
        guard let socketAddress = SocketPath.address(path) else {
            throw .usage("--socket: a path of 1 to 107 bytes")
        }
        let connecting = SocketPath.socket()
        guard connecting >= 0 else { throw Self.unreachable(address, errno) }
        let micros = max(1, timeout.nanoseconds / 1000)
        var limit = timeval(tv_sec: Int(micros / 1_000_000), tv_usec: Int(micros % 1_000_000))
        setsockopt(
            connecting, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        guard SocketPath.with(socketAddress, { connect(connecting, $0, $1) }) == 0 else {
            let error = errno
            close(connecting)
            if error == EAGAIN {
                throw .timedOut(
                    "\(TerminalSafe.escaped(path)): gamed accepts no connection at present")
            }
            throw Self.unreachable(address, error)
        }
        _ = fcntl(connecting, F_SETFL, fcntl(connecting, F_GETFL) | O_NONBLOCK)
        descriptor = connecting
    }

    deinit { close(descriptor) }

    private static func unreachable(_ address: ClientSocket, _ error: Int32) -> CommandError {
        let (path, why) = (TerminalSafe.escaped(address.path), String(cString: strerror(error)))
        guard error == ENOENT || error == ECONNREFUSED || error == ENOTDIR else {
            return .unreachable("cannot connect to \(path): \(why)")
        }
        // A sentence with the locations that were searched, unless an option names the socket.
        let searchLines = address.search.map { ["\(TerminalSafe.escaped($0))"] } ?? []
        let lines = ["nothing listens at \(path): \(why)"] + searchLines
        return .unreachable(
            (lines + [
                "is gamed running? `systemctl status gamed` shows the service, `make run` starts one here"
            ])
            .joined(separator: "\n"))
    }

    /// Passes the bytes that have arrived to `take`. Returns false if none have arrived. Throws `lost` if the connection
    /// has ended.
    func read(_ take: (UnsafeRawBufferPointer) -> Void) throws(CommandError) -> Bool {
        var hasEnded = false
        let hasBytes = withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { buffer in
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count > 0 { take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
            hasEnded = count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)
            return count > 0
        }
        if hasEnded { throw .lost }
        return hasBytes
    }

    /// Sends as many bytes as the socket's buffer has space for; returns their number. `passed` is a descriptor to send with
    /// them.
    func write(_ bytes: [UInt8], passing passed: Int32? = nil) throws(CommandError) -> Int {
        let count = bytes.withUnsafeBytes {
            if let passed {
                linux_send(descriptor, $0.baseAddress, $0.count, passed)
            } else {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
        }
        if count >= 0 { return count }
        guard errno == EAGAIN || errno == EINTR else { throw .lost }
        return 0
    }
}

/// A limit of the time to wait.
final class Deadline {
    private(set) var isOver = false
    private var timer: ScopedCountdown?

    /// Stops the loop after `duration`.
    init(_ duration: Duration, on loop: LibeventLoop) {
        timer = ScopedCountdown(on: loop, duration) { [weak self] in
            self?.isOver = true
            loop.stop()
        }
    }
}
