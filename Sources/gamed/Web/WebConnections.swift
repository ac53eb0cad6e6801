import CEventHTTP
import GameFlow
import Glibc
import HTTP
import Timers

/// The connections of HTTP, as far as libevent does not look after them: it lets in anybody, waits for a slow
/// header for ever, and tells nobody when it closes a connection that never asked for anything.
final class WebConnections {
    /// One connection. What it is known by is its socket's inode: the number of a descriptor is soon another's.
    private final class Entry {
        let descriptor: Int32
        let inode: ino_t
        let host: String?
        var deadline: HeldCountdown?

        init(_ descriptor: Int32, _ inode: ino_t, _ host: String?) {
            (self.descriptor, self.inode, self.host) = (descriptor, inode, host)
        }

        var isOpen: Bool { WebConnections.inode(of: descriptor) == inode }
    }

    private let exchange: Exchange
    private let isSecure: Bool
    private var entries: [Int32: Entry] = [:]
    /// Those that were let in during this turn, whose sockets are not known before its end.
    private var arrivals: [(buffers: OpaquePointer, isWelcome: Bool)] = []
    private var sweep: HeldPendulum?

    init(_ exchange: Exchange, isSecure: Bool) {
        (self.exchange, self.isSecure) = (exchange, isSecure)
        exchange.beforeSleep.append { [unowned self] in lookAtArrivals() }
        sweep = HeldPendulum(on: exchange.loop, .seconds(1)) { [unowned self] _ in forgetClosed() }
    }

    /// libevent has made the buffers of a connection that it is about to let in.
    func arrives(_ buffers: OpaquePointer, isWelcome: Bool) {
        bufferevent_incref(buffers)
        arrivals.append((buffers, isWelcome))
    }

    private func lookAtArrivals() {
        guard !arrivals.isEmpty else { return }
        let arrived = arrivals
        arrivals = []
        for (buffers, isWelcome) in arrived {
            let descriptor = bufferevent_getfd(buffers)
            if descriptor >= 0, let inode = Self.inode(of: descriptor) {
                if isWelcome { admit(descriptor, inode) } else { Self.cut(descriptor) }
            }
            bufferevent_decref(buffers)
        }
    }

    private func admit(_ descriptor: Int32, _ inode: ino_t) {
        if let old = entries[descriptor] { forget(old) }
        let address = NetworkSocket.peer(of: descriptor)
        let visitor = address.map { Visitor(.web, address: $0) } ?? Visitor(.web, nil)
        if exchange.clients >= exchange.limits.clients { forgetClosed() }
        if let refusal = exchange.turnsAway(visitor) {
            return turnAway(descriptor, WebError(.tooManyRequests, refusal))
        }
        let entry = Entry(descriptor, inode, address.map(Visitor.host))
        entries[descriptor] = entry
        exchange.arrive(from: entry.host)
        expect(descriptor, within: exchange.limits.header)
    }

    // MARK: deadlines

    /// The whole next request has to have come within that time.
    func expect(_ descriptor: Int32?, within time: Interval) {
        guard let descriptor, let entry = entries[descriptor] else { return }
        entry.deadline = HeldCountdown(on: exchange.loop, time) { [unowned self, unowned entry] in
            guard entry.isOpen else { return forget(entry) }
            exchange.tally.late += 1
            turnAway(
                descriptor, WebError(.requestTimeout, why: "the request did not come in time"))
        }
    }

    /// It has come, and is being answered.
    func relax(_ descriptor: Int32?) {
        if let descriptor { entries[descriptor]?.deadline = nil }
    }

    // MARK: the end

    /// Says why, as far as that goes without waiting and without TLS, and closes.
    private func turnAway(_ descriptor: Int32, _ error: WebError) {
        if !isSecure {
            let bytes = error.message
            _ = send(descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        }
        Self.cut(descriptor)
    }

    /// Has libevent see the end of a connection. Wraps shutdown(2).
    static func cut(_ descriptor: Int32) { shutdown(descriptor, Int32(SHUT_RDWR)) }

    private func forgetClosed() {
        for entry in Array(entries.values) where !entry.isOpen { forget(entry) }
    }

    private func forget(_ entry: Entry) {
        guard entries[entry.descriptor] === entry else { return }
        entries[entry.descriptor] = nil
        exchange.depart(from: entry.host)
    }

    private static func inode(of descriptor: Int32) -> ino_t? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status.st_ino : nil
    }

    /// Ends all of them.
    func cutAll() {
        for entry in entries.values where entry.isOpen { Self.cut(entry.descriptor) }
    }
}
