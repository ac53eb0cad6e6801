import CLinux
import EventLoop
import Glibc
import RPC
import Shell
internal import Support
import Timers

/// A connection to the daemon: sends requests, and returns replies and notifications one at a time. Its functions that wait
/// run the event loop meanwhile.
final class Client {
    let loop: LibeventLoop
    /// How long a reply may take, unless `call` gets another limit.
    private let timeout: Duration
    private let socket: Socket
    /// Calls `read` when bytes have arrived.
    private var readWatcher: DescriptorWatcher?
    /// Calls `write` when the socket accepts bytes; enabled while there are unsent bytes.
    private var writeWatcher: DescriptorWatcher?
    /// Splits the received bytes into lines.
    private var reader = LineReader()
    /// The bytes of requests that the socket has not accepted yet.
    private var unsent: [UInt8] = []
    /// The descriptor to send with the next bytes; nil if there is none.
    private var unsentDescriptor: Int32?
    /// The received messages that `next` has not returned.
    private var messages: [Message] = []
    /// Why the connection ended; nil while it is open.
    private var endReason: CommandError?
    /// The id of the newest request; 0 before the first request.
    private var lastID = 0

    /// Connects. `timeout` limits the time to connect and the time to each reply.
    init(_ address: ClientSocket, on loop: LibeventLoop, timeout: Duration) throws(CommandError) {
        (self.loop, self.timeout) = (loop, timeout)
        socket = try Socket(address, timeout: timeout)
        do {
            readWatcher = try DescriptorWatcher(socket.descriptor, .readable, on: loop) {
                [weak self] in
                self?.read()
            }
            writeWatcher = try DescriptorWatcher(
                socket.descriptor, .writable, on: loop, isEnabled: false
            ) {
                [weak self] in self?.write()
            }
        } catch { throw .unreachable("no event loop: \(error)") }
    }

    /// Sends a request and returns its reply. Notifications that arrive before the reply are kept for `next`.
    /// `limit` replaces the timeout for this request. The daemon receives a copy of `descriptor`.
    func call(
        _ request: Request, within limit: Duration? = nil, passing descriptor: Int32? = nil
    ) throws(CommandError) -> Message.MethodResult {
        let timeout = limit ?? timeout
        unsentDescriptor = descriptor
        let id = send(request)
        let deadline = Deadline(timeout, on: loop)
        var notifications: [Message] = []
        defer { messages = notifications + messages }
        while true {
            guard let message = try next(until: deadline) else {
                throw .timedOut(
                    "no answer to \(request.method.name) within \(DurationText.write(timeout))")
            }
            switch message {
            case .notification: notifications.append(message)
            // The daemon sends a null id if it could not read the request's id. The reply belongs to this request, because no
            // other request is waiting for a reply.
            case .reply(id, let result), .reply(nil, let result):
                do { return try result.get() } catch { throw .refused(error) }
            case .reply(let otherID, _):
                throw .protocolError(
                    "a reply to request \(otherID.map(String.init) ?? "null"), not \(id)")
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

    /// Waits for the next message. Returns nil when the deadline is over. If the connection has ended, throws the reason.
    func next(until deadline: Deadline? = nil) throws(CommandError) -> Message? {
        while true {
            if !messages.isEmpty { return messages.removeFirst() }
            if let endReason { throw endReason }
            if deadline?.isOver == true { return nil }
            // Returns when `read` or the deadline has stopped the loop.
            loop.run()
        }
    }

    /// Runs the loop for `duration`, so that signals are handled meanwhile.
    static func pause(_ duration: Duration, on loop: LibeventLoop) {
        let deadline = Deadline(duration, on: loop)
        while !deadline.isOver { loop.run() }
    }

    // MARK: callbacks of the loop

    private func read() {
        guard endReason == nil else { return }
        defer { loop.stop() }
        do throws(CommandError) {
            guard try socket.read({ reader.append($0) }) else { return }
            while let line = try reader.next() {
                if !line.isEmpty { messages.append(try Message(line)) }
            }
        } catch { finish(error) }
    }

    private func write() {
        guard endReason == nil, !unsent.isEmpty else { return }
        do throws(CommandError) {
            let count = try socket.write(unsent, passing: unsentDescriptor)
            if count > 0 { unsentDescriptor = nil }
            unsent.removeFirst(count)
            if unsent.isEmpty { writeWatcher?.disable() } else { writeWatcher?.enable() }
        } catch {
            // The daemon has closed the connection. The replies that the daemon sent earlier can still be read. When `read` has
            // read these replies, it finds the end and calls `finish`.
            unsent = []
            writeWatcher?.disable()
        }
    }

    /// Records why the connection ended; from then on `next` throws this error.
    private func finish(_ error: CommandError) {
        endReason = error
        readWatcher?.disable()
        writeWatcher?.disable()
    }
}

/// A connected UNIX socket, closed when it is released.
struct Socket: ~Copyable {
    let descriptor: Int32
    /// The maximum number of bytes that one call of `read` reads.
    private static let readSize = 65_536

    /// Connects. If the daemon's queue of connections to accept is full, waits at most `timeout`. Wraps connect(2).
    init(_ address: ClientSocket, timeout: Duration) throws(CommandError) {
        let path = address.path
        guard let socketAddress = SocketAddress(path: path) else {
            throw .usage("--socket: a path of 1 to 107 bytes")
        }
        let newDescriptor = socketAddress.makeStreamSocket(isBlocking: true)
        guard newDescriptor >= 0 else { throw Self.unreachable(address, errno) }
        // SO_SNDTIMEO also limits connect(2); 0 would mean no limit.
        let micros = max(1, timeout.nanoseconds / 1000)
        var limit = timeval(tv_sec: Int(micros / 1_000_000), tv_usec: Int(micros % 1_000_000))
        setsockopt(
            newDescriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        guard socketAddress.withPointer({ connect(newDescriptor, $0, $1) }) == 0 else {
            let error = errno
            close(newDescriptor)
            // EAGAIN: the time limit is over.
            if error == EAGAIN {
                throw .timedOut(
                    "\(TerminalSafe.escaped(path)): gamed accepts no connection at present")
            }
            throw Self.unreachable(address, error)
        }
        _ = fcntl(newDescriptor, F_SETFL, fcntl(newDescriptor, F_GETFL) | O_NONBLOCK)
        descriptor = newDescriptor
    }

    deinit { close(descriptor) }

    /// The error for a connection that failed with the errno `error`.
    private static func unreachable(_ address: ClientSocket, _ error: Int32) -> CommandError {
        let (path, why) = (TerminalSafe.escaped(address.path), String(cString: strerror(error)))
        guard error == ENOENT || error == ECONNREFUSED || error == ENOTDIR else {
            return .unreachable("cannot connect to \(path): \(why)")
        }
        // A sentence about the paths at which gamectl looked for a socket; none if an option names the socket.
        let searchLines = address.search.map { ["\(TerminalSafe.escaped($0))"] } ?? []
        let lines = ["nothing listens at \(path): \(why)"] + searchLines
        return .unreachable(
            (lines + [
                "is gamed running? `systemctl status gamed` shows the service, `make run` starts a daemon here"
            ])
            .joined(separator: "\n"))
    }

    /// Calls `body` with the bytes that have arrived. Returns false, without the call, if none have arrived. Throws `lost` if
    /// the connection has ended. Wraps read(2).
    func read(_ body: (UnsafeRawBufferPointer) -> Void) throws(CommandError) -> Bool {
        var hasEnded = false
        let hasBytes = withUnsafeTemporaryAllocation(byteCount: Self.readSize, alignment: 16) {
            buffer in
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count > 0 { body(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
            hasEnded = count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)
            return count > 0
        }
        if hasEnded { throw .lost }
        return hasBytes
    }

    /// Sends as many bytes as the socket's buffer has space for, and returns their number. The descriptor `passed`, unless it
    /// is nil, is sent with the first byte. Throws `lost` if the connection has ended. Wraps write(2), sendmsg(2).
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

/// A limit of the time to wait for something on an event loop.
final class Deadline {
    /// Whether the time is over.
    private(set) var isOver = false
    private var timer: ScopedCountdown?

    /// Creates a deadline `duration` from now. When the time is over, the loop is stopped, so that the code that waits can read
    /// `isOver`.
    init(_ duration: Duration, on loop: LibeventLoop) {
        timer = ScopedCountdown(on: loop, duration) { [weak self] in
            self?.isOver = true
            loop.stop()
        }
    }
}
