import CEventHTTP
import GameFlow
import Glibc
import RPC
import Timers

/// An HTTP connection. Its input is checked before libevent parses it, and must arrive in time.
///
/// It is identified by its socket's inode, because descriptor numbers are reused.
final class WebConnection {
    let descriptor: Int32
    /// The identity from the socket alone, without a token or certificate. Stored, because it needs a system call.
    let anonymous: Identity
    /// The address of the daemon's end of the connection; nil for a UNIX socket. Stored, because it needs a system call.
    let localAddress: String?
    private let inode: ino_t
    private unowned let connections: WebConnections
    private var phase = Phase.reading
    private var deadline: ScopedCountdown?
    /// Checks the input, and passes on only well-formed messages.
    private var framing: HTTPFraming
    /// The number of requests that libevent has read.
    private var requests = 0
    /// Whether `rewrite` is running. libevent reports the changes that `rewrite` makes as if new bytes had arrived.
    private var isRewriting = false
    /// Whether a stream has begun. Input after the request for the stream is dropped.
    private var isStreaming = false

    private enum Phase {
        /// A request is arriving.
        case reading
        /// A request has arrived, and its answer is not completely sent.
        case answering
        /// There is no request.
        case idle
    }

    /// Fails if the descriptor is not an open socket.
    init?(_ descriptor: Int32, _ connections: WebConnections) {
        guard let inode = Self.inode(of: descriptor) else { return nil }
        (self.descriptor, self.inode, self.connections) = (descriptor, inode, connections)
        framing = HTTPFraming(headLimit: connections.limits.headerBytes)
        localAddress = NetworkSocket.local(of: descriptor)
        let address = NetworkSocket.peer(of: descriptor)
        anonymous =
            address.map { Identity(.web, address: $0) }
            ?? Identity(.web, Credentials(of: descriptor))
    }

    var isOpen: Bool { Self.inode(of: descriptor) == inode }
    var isBeingAnswered: Bool { phase == .answering }

    private static func inode(of descriptor: Int32) -> ino_t? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status.st_ino : nil
    }

    /// Begins to check the input of an accepted connection, and waits for its first request. Wraps `evbuffer_add_cb`; the
    /// buffer is freed before this object.
    func begin(_ buffers: OpaquePointer) {
        let me = Unmanaged.passUnretained(self).toOpaque()
        evbuffer_add_cb(
            bufferevent_get_input(buffers),
            { input, change, me in
                guard let input, let change, change.pointee.n_added > 0 else { return }
                Unmanaged<WebConnection>.fromOpaque(me!).takeUnretainedValue()
                    .didRead(change.pointee.n_added, input)
            }, me)
        wait(.reading, connections.limits.requestTime)
    }

    /// Called when bytes have arrived. The first byte of a request starts the time limit for all of it.
    func didRead(_ count: Int, _ input: OpaquePointer) {
        guard !isRewriting else { return }
        isRewriting = true
        defer { isRewriting = false }
        if isStreaming {
            evbuffer_drain(input, evbuffer_get_length(input))
            return
        }
        rewrite(count, input)
        if phase == .idle, framing.isInMessage || evbuffer_get_length(input) > 0 {
            wait(.reading, connections.limits.requestTime)
        }
    }

    /// Replaces the last `count` bytes of the input, which have just arrived, by the bytes that `framing` returns for them.
    /// Wraps `evbuffer_remove`, `evbuffer_add`, `evbuffer_prepend_buffer`.
    private func rewrite(_ count: Int, _ input: OpaquePointer) {
        let checkedCount = evbuffer_get_length(input) - count
        guard checkedCount >= 0, let checkedInput = evbuffer_new() else { return }
        defer { evbuffer_free(checkedInput) }
        evbuffer_remove_buffer(input, checkedInput, checkedCount)
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { memory, readCount in
            readCount = max(0, Int(evbuffer_remove(input, memory.baseAddress, count)))
        }
        let framed = framing.process(bytes)
        evbuffer_add(input, framed, framed.count)
        if checkedCount > 0 { evbuffer_prepend_buffer(input, checkedInput) }
    }

    /// The error in the request that libevent has just read; nil if the request is valid. In place of a malformed request,
    /// libevent gets a valid one, which is answered with this error.
    var failure: WebError? {
        guard requests == framing.messageCount, let failure = framing.failure else { return nil }
        return WebError(failure)
    }

    /// Called when a request has arrived, before it is answered.
    func requestArrived() {
        requests += 1
        (phase, deadline) = (.answering, nil)
    }

    /// Called when the answer to the request is a stream, which ends with the connection. Further input is dropped.
    func beginStream(_ buffers: OpaquePointer) {
        isStreaming = true
        let input = bufferevent_get_input(buffers)
        evbuffer_drain(input, evbuffer_get_length(input))
    }

    /// Called when the reply was sent completely. `input` bytes of the next request have arrived already.
    func replySent(unreadInput input: Int) {
        let limits = connections.limits
        let hasNextRequest = input > 0 || framing.isInMessage
        if hasNextRequest {
            wait(.reading, limits.requestTime)
        } else {
            wait(.idle, limits.idleTime)
        }
    }

    private func wait(_ phase: Phase, _ time: Duration) {
        self.phase = phase
        deadline = ScopedCountdown(on: connections.loop, time) { [unowned self] in
            connections.deadlineExpired(self)
        }
    }
}
