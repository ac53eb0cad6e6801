import CEventHTTP
import GameFlow
import Glibc
import Timers

/// One connection of HTTP: what is waited for there, and until when.
///
/// What it is known by is its socket's inode: the number of a descriptor is soon another's.
final class WebConnection {
    let descriptor: Int32
    /// Who is at the other end, as far as the socket says; and where he arrived. Asked once, for each is a call of
    /// the kernel.
    let stranger: Visitor
    let here: String?
    private let inode: ino_t
    private unowned let connections: WebConnections
    private var phase = Phase.reading
    private var deadline: HeldCountdown?

    private enum Phase {
        /// A request is on its way.
        case reading
        /// It has come, and its answer is not all gone.
        case answering
        /// Nothing is asked.
        case idle
    }

    /// Nil of what is no open socket.
    init?(_ descriptor: Int32, _ connections: WebConnections) {
        guard let inode = Self.inode(of: descriptor) else { return nil }
        (self.descriptor, self.inode, self.connections) = (descriptor, inode, connections)
        here = NetworkSocket.local(of: descriptor)
        let address = NetworkSocket.peer(of: descriptor)
        stranger =
            address.map { Visitor(.web, address: $0) }
            ?? Visitor(.web, Credentials(of: descriptor))
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
            { _, change, me in
                guard let change, change.pointee.n_added > 0 else { return }
                Unmanaged<WebConnection>.fromOpaque(me!).takeUnretainedValue().hasRead()
            }, me)
        wait(.reading, connections.limits.header)
    }

    /// The first byte of a request: all of it has to come now.
    private func hasRead() {
        if phase == .idle { wait(.reading, connections.limits.header) }
    }

    func isAsked() { (phase, deadline) = (.answering, nil) }

    /// Everything was taken; some of the next request may be there already.
    func isAnswered(_ input: Int) {
        let limits = connections.limits
        if input > 0 { wait(.reading, limits.header) } else { wait(.idle, limits.idle) }
    }

    private func wait(_ phase: Phase, _ time: Interval) {
        self.phase = phase
        deadline = HeldCountdown(on: connections.loop, time) { [unowned self] in
            connections.isLate(self)
        }
    }
}
