import CEventHTTP
import EventLoop
import GameFlow
import Glibc
import RPC
import Timers

/// An HTTP connection. This class checks the input before libevent parses it, and closes the connection if a request does not
/// arrive in time.
///
/// The socket's inode identifies the connection, because descriptor numbers are reused.
final class WebConnection {
    let descriptor: Int32
    /// The identity from the socket alone, without a token or certificate. Stored, because it needs a system call.
    let socketIdentity: Identity
    /// The address of the daemon's end of the connection; nil for a UNIX socket. Stored, because it needs a system call.
    let localAddress: String?
    /// The address and the port of the other end; nil for a UNIX socket.
    let peerAddress: String?
    /// The host under which the connection is counted; nil if it is not counted by host.
    var countedHost: String?
    private let inode: ino_t
    /// All connections of the server; the owner of this object.
    private unowned let connections: WebConnections
    private var phase = Phase.reading
    /// Closes the connection when the time limit of the phase has expired; nil in the phase `answering`.
    private var deadline: ScopedCountdown?
    /// An instant after which the present request began to arrive.
    private(set) var requestSince: Instant
    /// When the newest reply was completely sent. While a request is answered, libevent does not read.
    private var idleSince: Instant
    /// Checks the input, and passes on only well-formed messages.
    private var framing: HTTPFraming
    /// The number of requests that libevent has read.
    private var requestCount = 0
    /// Whether `rewrite` is running. libevent reports the changes that `rewrite` makes as if new bytes had arrived.
    private var isRewriting = false
    /// Whether a stream has begun. Input after the request for the stream is dropped.
    private var isStreaming = false

    /// Whether the connection was dropped: further input is not read, and no answer is sent.
    private(set) var isDropped = false

    private enum Phase {
        /// A request is arriving.
        case reading
        /// A request has arrived, and its answer is not completely sent.
        case answering
        /// There is no request.
        case idle
    }

    /// Returns nil if the descriptor is not open.
    init?(_ descriptor: Int32, _ connections: WebConnections) {
        guard let inode = Self.inode(of: descriptor) else { return nil }
        (self.descriptor, self.inode, self.connections) = (descriptor, inode, connections)
        requestSince = connections.loop.completeTurn
        idleSince = requestSince
        framing = HTTPFraming(headLimit: connections.limits.headerBytes)
        localAddress = NetworkSocket.local(of: descriptor)
        peerAddress = NetworkSocket.peer(of: descriptor)
        socketIdentity =
            peerAddress.map { Identity(.web, address: $0) }
            ?? Identity(.web, Credentials(of: descriptor))
    }

    /// Whether the descriptor still belongs to this connection's socket.
    var isOpen: Bool { Self.inode(of: descriptor) == inode }
    var isBeingAnswered: Bool { phase == .answering }

    private static func inode(of descriptor: Int32) -> ino_t? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status.st_ino : nil
    }

    /// Begins to check the input of an accepted connection, and to wait for the first request. `buffers` is the connection's
    /// bufferevent. Wraps `evbuffer_add_cb`. The callback may use an unretained pointer to this object, because libevent frees
    /// the bufferevent before this object is released.
    func begin(_ buffers: OpaquePointer) {
        let me = Unmanaged.passUnretained(self).toOpaque()
        evbuffer_add_cb(
            bufferevent_get_input(buffers),
            { input, change, me in
                guard let input, let change, change.pointee.n_added > 0 else { return }
                Unmanaged<WebConnection>.fromOpaque(me!).takeUnretainedValue()
                    .didRead(change.pointee.n_added, input)
            }, me)
        enter(.reading, timeLimit: connections.limits.requestTime)
    }

    /// Called when `count` bytes have arrived at the end of the evbuffer `input`. The first byte of a request starts the time
    /// limit for the whole request.
    func didRead(_ count: Int, _ input: OpaquePointer) {
        guard !isRewriting else { return }
        isRewriting = true
        defer { isRewriting = false }
        if isStreaming || isDropped {
            evbuffer_drain(input, evbuffer_get_length(input))
            return
        }
        rewrite(count, input)
        if phase == .idle, framing.isInMessage || evbuffer_get_length(input) > 0 {
            // A complete turn has found no input since the connection is idle. Without such a turn, the request may have arrived
            // while the previous one was answered.
            let completeTurn = connections.loop.completeTurn
            if idleSince < completeTurn { requestSince = completeTurn }
            enter(.reading, timeLimit: connections.limits.requestTime)
        }
    }

    /// The last `count` bytes of the input have just arrived. Replaces them by the bytes that `framing` returns for them. Wraps
    /// `evbuffer_remove`, `evbuffer_add`, `evbuffer_prepend_buffer`.
    private func rewrite(_ count: Int, _ input: OpaquePointer) {
        // The number of the bytes before the new bytes. They were checked earlier, but libevent has not parsed them yet.
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

    /// The error in the request that libevent has just read; nil if the request is valid. If the request is malformed, libevent
    /// gets a valid request in its place. The answer to that request is this error.
    var failure: WebError? {
        // `framing` is ahead of libevent, and stops counting at a malformed message. When libevent has read as many requests as
        // `framing` has counted, its last request is the one in place of the malformed message.
        guard requestCount == framing.messageCount, let failure = framing.failure else {
            return nil
        }
        return WebError(failure)
    }

    /// Called when a request has arrived, before it is answered.
    func requestArrived() {
        requestCount += 1
        (phase, deadline) = (.answering, nil)
    }

    /// Closes the connection; what has arrived and was not answered is dropped.
    func drop() {
        isDropped = true
        WebConnections.cut(descriptor)
    }

    /// Called when the answer to the request is a stream, which ends with the connection. Further input is dropped.
    func beginStream(_ buffers: OpaquePointer) {
        isStreaming = true
        let input = bufferevent_get_input(buffers)
        evbuffer_drain(input, evbuffer_get_length(input))
    }

    /// Called when the reply was sent completely. `byteCount` is the number of bytes that have arrived and that libevent has
    /// not parsed: the beginning of the next request.
    func replySent(unreadBytes byteCount: Int) {
        let limits = connections.limits
        let hasNextRequest = byteCount > 0 || framing.isInMessage
        if hasNextRequest {
            enter(.reading, timeLimit: limits.requestTime)
        } else {
            idleSince = connections.loop.timerQueue.now
            enter(.idle, timeLimit: limits.idleTime)
        }
    }

    /// Enters a phase. The connection is closed if the phase lasts longer than `timeLimit`.
    private func enter(_ phase: Phase, timeLimit: Duration) {
        self.phase = phase
        deadline = ScopedCountdown(on: connections.loop, timeLimit) { [unowned self] in
            connections.deadlineExpired(self)
        }
    }
}
