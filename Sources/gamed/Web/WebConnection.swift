import Access
import CEventHTTP
import GameFlow
import Glibc
import HTTP
import Timers

/// One connection of HTTP: what comes in is checked before libevent reads it, and has to come in time.
///
/// What it is known by is its socket's inode: the number of a descriptor is soon another's.
final class WebConnection {
    let descriptor: Int32
    /// Who is at the other end, as far as the socket says; and where he arrived. Asked once, for each is a call of
    /// the kernel.
    let stranger: Identity
    let here: String?
    private let inode: ino_t
    private unowned let connections: WebConnections
    private var phase = Phase.reading
    private var deadline: ScopedCountdown?
    private var framing: HTTPFraming
    /// How many requests libevent has read.
    private var requests = 0
    /// Whether the input is being rewritten, which libevent reports as a change of it.
    private var isRewriting = false
    /// Whether a stream has begun: nothing that is sent behind its request is ever read.
    private var isStreaming = false

    private enum Phase {
        /// A request is on its way.
        case reading
        /// It has come, and its answer is not all gone.
        case answering
        /// Nothing is asked.
        case idle
    }

    /// Fails if the descriptor is not an open socket.
    init?(_ descriptor: Int32, _ connections: WebConnections) {
        guard let inode = Self.inode(of: descriptor) else { return nil }
        (self.descriptor, self.inode, self.connections) = (descriptor, inode, connections)
        framing = HTTPFraming(headLimit: connections.limits.headerBytes)
        here = NetworkSocket.local(of: descriptor)
        let address = NetworkSocket.peer(of: descriptor)
        stranger =
            address.map { Identity(.web, address: $0) }
            ?? Identity(.web, Credentials(of: descriptor))
    }

    var isOpen: Bool { Self.inode(of: descriptor) == inode }
    var isBeingAnswered: Bool { phase == .answering }

    private static func inode(of descriptor: Int32) -> ino_t? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status.st_ino : nil
    }

    /// It was let in: its first request has to come. Wraps `evbuffer_add_cb`; the buffer is gone before this is.
    func begin(_ buffers: OpaquePointer) {
        let me = Unmanaged.passUnretained(self).toOpaque()
        evbuffer_add_cb(
            bufferevent_get_input(buffers),
            { input, change, me in
                guard let input, let change, change.pointee.n_added > 0 else { return }
                Unmanaged<WebConnection>.fromOpaque(me!).takeUnretainedValue()
                    .hasRead(change.pointee.n_added, input)
            }, me)
        wait(.reading, connections.limits.header)
    }

    /// Bytes have come in. With the first byte of a request, all of it has to come now.
    private func hasRead(_ count: Int, _ input: OpaquePointer) {
        guard !isRewriting else { return }
        isRewriting = true
        defer { isRewriting = false }
        if isStreaming {
            evbuffer_drain(input, evbuffer_get_length(input))
            return
        }
        rewrite(count, input)
        if phase == .idle, framing.isInMessage || evbuffer_get_length(input) > 0 {
            wait(.reading, connections.limits.header)
        }
    }

    /// Puts what the framing passes on in the place of the last bytes of the input. Wraps `evbuffer_remove`,
    /// `evbuffer_add`, `evbuffer_prepend_buffer`.
    private func rewrite(_ count: Int, _ input: OpaquePointer) {
        let before = evbuffer_get_length(input) - count
        guard before >= 0, let passed = evbuffer_new() else { return }
        defer { evbuffer_free(passed) }
        evbuffer_remove_buffer(input, passed, before)
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { room, taken in
            taken = max(0, Int(evbuffer_remove(input, room.baseAddress, count)))
        }
        let framed = framing.take(bytes)
        evbuffer_add(input, framed, framed.count)
        if before > 0 { evbuffer_prepend_buffer(input, passed) }
    }

    /// Why the request that libevent read last stands for one that is malformed; nil of a good one.
    var failure: WebError? {
        guard requests == framing.messages, let failure = framing.failure else { return nil }
        return WebError(failure)
    }

    func isAsked() {
        requests += 1
        (phase, deadline) = (.answering, nil)
    }

    /// Its request is answered by a stream, which ends with the connection.
    func beginStream(_ buffers: OpaquePointer) {
        isStreaming = true
        let input = bufferevent_get_input(buffers)
        evbuffer_drain(input, evbuffer_get_length(input))
    }

    /// Everything was taken; some of the next request may be there already.
    func isAnswered(_ input: Int) {
        let limits = connections.limits
        let isAskedAgain = input > 0 || framing.isInMessage
        if isAskedAgain { wait(.reading, limits.header) } else { wait(.idle, limits.idle) }
    }

    private func wait(_ phase: Phase, _ time: Duration) {
        self.phase = phase
        deadline = ScopedCountdown(on: connections.loop, time) { [unowned self] in
            connections.isLate(self)
        }
    }
}
