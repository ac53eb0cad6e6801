internal import Glibc
internal import Support
internal import Timers

/// The client's end of a TCP or UNIX connection, which connects, reads and writes without blocking. Bytes that are sent
/// wait in a buffer until the kernel takes them. All methods and closures are called on the loop's thread.
package final class StreamSocket {
    /// Called when the connection is established.
    package var onOpen: () -> Void = {}
    /// Called with the bytes that were received.
    package var onBytes: (ArraySlice<UInt8>) -> Void = { _ in }
    /// Called once when the connection fails, or when the peer ends it, with the reason as a sentence. Not called after
    /// `close`. Called by a timer, and so never during a call of `connect` or `send`.
    package var onFailure: (_ why: String) -> Void = { _ in }

    private let loop: LibeventLoop
    /// What the peer is called in the sentences of `onFailure`: `the broker`.
    private let peer: String
    /// The maximum number of bytes in `outgoing`.
    private let limit: Int
    /// The bytes that `send` added and the kernel has not yet taken.
    private var outgoing: [UInt8] = []
    private var readBuffer: [UInt8] = []
    /// The size of `readBuffer` in bytes, once it is in use.
    private static let readBufferSize = 65_536

    private enum State {
        case closed
        /// connect(2) is in progress; the descriptor becomes writable when connect(2) has succeeded or failed.
        case connecting(_ descriptor: Int32, _ writable: DescriptorWatcher)
        /// `output` is enabled while bytes wait in `outgoing`.
        case open(_ descriptor: Int32, input: DescriptorWatcher, output: DescriptorWatcher)
        /// The connection failed; the timer, which is due at once, calls `onFailure`.
        case failing(_ reportTimer: ScopedCountdown)
    }

    private var state = State.closed

    /// `peer` is what the peer is called in sentences: `the broker`. `limit` is the number of bytes that may wait for a peer that
    /// does not read. If more bytes wait, the connection fails.
    package init(on loop: LibeventLoop, peer: String, limit: Int) {
        (self.loop, self.peer, self.limit) = (loop, peer, limit)
    }

    deinit { close() }

    /// The number of bytes that were sent and that the kernel has not yet taken.
    package var waitingBytes: Int { outgoing.count }

    // MARK: connecting

    /// Starts to connect. Ends an earlier connection first. The result is reported by `onOpen` or `onFailure`.
    package func connect(to address: SocketAddress) {
        close()
        let descriptor = address.makeStreamSocket()
        guard descriptor >= 0 else { return fail(Self.lastError) }
        if address.family != AF_UNIX {
            // Without this option, TCP delays a small message while the peer has not acknowledged the previous message.
            var yes: Int32 = 1
            let size = socklen_t(MemoryLayout<Int32>.size)
            _ = unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, size)
        }
        let result = unsafe address.withPointer { unsafe Glibc.connect(descriptor, $0, $1) }
        guard result == 0 || errno == EINPROGRESS else {
            let why = Self.lastError
            Glibc.close(descriptor)
            return fail(why)
        }
        do throws(EventLoopError) {
            let writable = try DescriptorWatcher(descriptor, .writable, on: loop) {
                [unowned self] in finishConnecting()
            }
            state = .connecting(descriptor, writable)
        } catch {
            Glibc.close(descriptor)
            fail("cannot watch the socket")
        }
    }

    /// The system's description of the present `errno`.
    private static var lastError: String { NetworkFailure.text(errno) }

    /// Finds out whether connect(2) succeeded, and opens or fails the connection.
    private func finishConnecting() {
        // Reads the clock again, so that due timers fire before `onOpen`. A timer may close the socket.
        loop.fireDueTimers()
        guard case .connecting(let descriptor, let writable) = state else { return }
        var status: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        _ = unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &status, &size)
        guard status == 0 else { return fail(NetworkFailure.text(status)) }
        writable.disable()
        do throws(EventLoopError) {
            let input = try DescriptorWatcher(descriptor, .readable, on: loop) {
                [unowned self] in read()
            }
            let output = try DescriptorWatcher(
                descriptor, .writable, on: loop, isEnabled: false
            ) { [unowned self] in write() }
            state = .open(descriptor, input: input, output: output)
        } catch { return fail("cannot watch the socket") }
        onOpen()
    }

    // MARK: ending

    /// Ends the connection. Tries once to write the bytes that wait.
    package func close() {
        // Each watcher is disabled before its descriptor is closed, because the next descriptor that the process opens may have
        // the same number. `disable` is safe even if a watcher's callback is calling this method.
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

    /// Ends the connection so that the peer gets everything that was sent, if it reads within `LingeringSocket.longestTime`. Calls
    /// `done` when the peer has ended the connection too, or the time is over.
    package func finish(_ done: @escaping () -> Void) {
        guard case .open(let descriptor, let input, let output) = state else {
            close()
            return done()
        }
        state = .closed
        input.disable()
        output.disable()
        LingeringSocket.close(descriptor, sending: exchange(&outgoing, with: []), on: loop, done)
    }

    /// Ends the connection, and sets a timer of zero duration that reports the failure to `onFailure`.
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
        // Reads the clock again, so that due timers fire before the data are handled. A timer may close the socket.
        loop.fireDueTimers()
        _ = readOnce()
    }

    /// Passes on everything that has arrived, up to the limit `unreadReads`.
    package func readUnread() {
        for _ in 0..<Self.unreadReads { guard readOnce() else { return } }
    }

    /// The maximum number of reads in `readUnread`: a peer may send faster than this process reads.
    private static let unreadReads = 256

    /// Reads once, and passes on what was read. Returns whether there was anything.
    private func readOnce() -> Bool {
        guard case .open(let descriptor, _, _) = state else { return false }
        if readBuffer.isEmpty {
            readBuffer = [UInt8](repeating: 0, count: Self.readBufferSize)
        }
        switch unsafe Glibc.read(descriptor, &readBuffer, readBuffer.count) {
        case 0: fail("\(peer) closed the connection")
        case let count where count > 0:
            onBytes(readBuffer[..<count])
            return true
        default: if errno != EAGAIN, errno != EINTR { fail(Self.lastError) }
        }
        return false
    }

    /// Adds bytes to those that are written as soon as the socket is writable. Drops the bytes if the connection is not open.
    /// If too many bytes wait, the connection fails.
    package func send(_ bytes: [UInt8]) {
        guard case .open(_, _, let output) = state, !bytes.isEmpty else { return }
        guard outgoing.count + bytes.count <= limit else {
            outgoing = []  // so that `close`, which `fail` calls, does not try to write them
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
