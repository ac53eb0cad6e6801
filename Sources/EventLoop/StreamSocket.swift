internal import Glibc
internal import Timers

/// A stream socket that connects, reads and writes without blocking. Bytes that are sent wait in a buffer until the peer
/// takes them. All calls are on the loop's thread.
package final class StreamSocket {
    /// Called when the connection is established.
    package var onOpen: () -> Void = {}
    /// Called with the bytes that were received.
    package var onBytes: (ArraySlice<UInt8>) -> Void = { _ in }
    /// Called once when the connection fails, or when the peer ends it, with the reason as a sentence. Not called after
    /// `close`. Called in a later turn of the loop, never by a method of the socket.
    package var onFailure: (_ why: String) -> Void = { _ in }

    private let loop: LibeventLoop
    private let priority: EventPriority
    /// The name of the peer in sentences: `the broker`.
    private let peer: String
    /// The number of outgoing bytes that may wait.
    private let limit: Int
    private var outgoing: [UInt8] = []
    private var readBuffer: [UInt8] = []
    /// The size of `readBuffer` in bytes, once it is in use.
    private static let readBufferSize = 65_536

    private enum State {
        case closed
        /// connect(2) is in progress; the descriptor becomes writable when it has succeeded or failed.
        case connecting(Int32, DescriptorWatcher)
        case open(Int32, input: DescriptorWatcher, output: DescriptorWatcher)
        /// The connection failed, which is reported in the next turn of the loop.
        case failing(ScopedCountdown)
    }

    private var state = State.closed

    /// `limit` is the number of bytes that may wait for a peer that does not read; if more wait, the connection fails.
    package init(on loop: LibeventLoop, _ priority: EventPriority, peer: String, limit: Int) {
        (self.loop, self.priority, self.peer, self.limit) = (loop, priority, peer, limit)
    }

    deinit { close() }

    /// The number of bytes that wait until the peer takes them.
    package var waitingBytes: Int { outgoing.count }

    // MARK: connecting

    /// Starts to connect. Ends an earlier connection first.
    package func connect(to address: SocketAddress) {
        close()
        let kind =
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.family, kind, 0)
        guard descriptor >= 0 else { return fail(Self.lastError) }
        if address.family != AF_UNIX {
            var yes: Int32 = 1
            let size = socklen_t(MemoryLayout<Int32>.size)
            _ = unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, size)
        }
        let result = unsafe address.with { unsafe Glibc.connect(descriptor, $0, $1) }
        guard result == 0 || errno == EINPROGRESS else {
            let why = Self.lastError
            Glibc.close(descriptor)
            return fail(why)
        }
        do throws(EventLoopError) {
            let writable = try DescriptorWatcher(descriptor, .writable, on: loop, priority) {
                [unowned self] in connected()
            }
            state = .connecting(descriptor, writable)
        } catch {
            Glibc.close(descriptor)
            fail("cannot watch the socket")
        }
    }

    private static var lastError: String { unsafe String(cString: strerror(errno)) }

    private func connected() {
        loop.fireDueTimers()
        guard case .connecting(let descriptor, let writable) = state else { return }
        var status: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        _ = unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &status, &size)
        guard status == 0 else { return fail(unsafe String(cString: strerror(status))) }
        writable.disable()
        do throws(EventLoopError) {
            let input = try DescriptorWatcher(descriptor, .readable, on: loop, priority) {
                [unowned self] in read()
            }
            let output = try DescriptorWatcher(
                descriptor, .writable, on: loop, isEnabled: false, priority
            ) { [unowned self] in write() }
            state = .open(descriptor, input: input, output: output)
        } catch { return fail("cannot watch the socket") }
        onOpen()
    }

    // MARK: ending

    /// Ends the connection. Tries once to write the bytes that wait.
    package func close() {
        // A watcher may be calling this method. It is stopped before its descriptor is closed, because the number of
        // the descriptor may be used again.
        switch exchange(&state, with: .closed) {
        case .connecting(let descriptor, let writable):
            writable.disable()
            Glibc.close(descriptor)
        case .open(let descriptor, let input, let output):
            input.disable()
            output.disable()
            if !outgoing.isEmpty {
                _ = unsafe Glibc.write(descriptor, outgoing, outgoing.count)
            }
            Glibc.close(descriptor)
        case .closed, .failing: break
        }
        outgoing = []
    }

    /// Ends the connection, and reports it in the next turn of the loop.
    private func fail(_ why: String) {
        close()
        state = .failing(
            ScopedCountdown(on: loop, .zero) { [unowned self] in
                state = .closed
                onFailure(why)
            })
    }

    // MARK: bytes

    private func read() {
        // Reads the clock again, so that due timers fire before the data are handled.
        loop.fireDueTimers()
        guard case .open(let descriptor, _, _) = state else { return }
        if readBuffer.isEmpty {
            readBuffer = [UInt8](repeating: 0, count: Self.readBufferSize)
        }
        switch unsafe Glibc.read(descriptor, &readBuffer, readBuffer.count) {
        case 0: fail("\(peer) closed the connection")
        case let count where count > 0: onBytes(readBuffer[..<count])
        default: if errno != EAGAIN, errno != EINTR { fail(Self.lastError) }
        }
    }

    /// Sends bytes when the socket is writable, together with other bytes that wait. Drops the bytes if the connection is not
    /// open.
    package func send(_ bytes: [UInt8]) {
        guard case .open(_, _, let output) = state, !bytes.isEmpty else { return }
        guard outgoing.count + bytes.count <= limit else {
            outgoing = []
            return fail("\(peer) does not read")
        }
        if outgoing.isEmpty { output.enable() }
        outgoing += bytes
    }

    private func write() {
        guard case .open(let descriptor, _, let output) = state else { return }
        let count = unsafe Glibc.write(descriptor, outgoing, outgoing.count)
        if count > 0 { outgoing.removeFirst(count) }
        if count < 0, errno != EAGAIN, errno != EINTR { return fail(Self.lastError) }
        if outgoing.isEmpty { output.disable() }
    }
}
