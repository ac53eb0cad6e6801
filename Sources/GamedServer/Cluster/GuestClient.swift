import Durability
import GameFlow
import RPC
import Sessions

/// A client of another node, whose requests that node has passed on: it has checked the rights.
final class GuestClient: Client {
    let number: Int
    let convertsArguments: Bool
    private(set) var identity: Identity
    private(set) var rights: Rights
    let context: ServerContext
    let subscriber: Subscriber
    private weak var node: NodeGuests?
    var routes: RoutedClient?
    var isToFlush = false
    var isToRelease = false
    private(set) var isGone = false

    init(
        _ number: Int, _ source: Source, _ rights: Rights, convertsArguments: Bool,
        of node: NodeGuests
    ) {
        (self.number, self.rights, self.node) = (number, rights, node)
        self.convertsArguments = convertsArguments
        identity = Identity(relayed: source)
        context = node.context
        subscriber = Subscriber(context.sessions, context.protocolHandler.encoder)
    }

    func introduce(_ source: Source, _ rights: Rights) {
        (identity, self.rights) = (Identity(relayed: source), rights)
    }

    func take(_ line: [UInt8]) {
        context.protocolHandler.answer(.line(line[...]), from: self)
        flush()
    }

    /// Notifications go to the other node as they are, behind the replies before them.
    func receive(_ notification: EncodedNotification) {
        guard !isGone else { return }
        subscriber.put(notification)
        context.flushLater(self)
    }

    func shardMoved(_ shard: Int) { node?.send(.moved(number, shard: shard)) }

    func flush() {
        guard !isGone, let node else { return }
        repeat {
            subscriber.fill(upTo: 65_536, for: rights)
            let bytes = outbox.take()
            if bytes.isEmpty { break }
            for line in bytes.split(separator: 0x0A) {
                node.send(.line(number, String(decoding: line, as: UTF8.self)))
            }
        } while true
        if outbox.isWaiting { context.releaseLater(self) }
    }

    func deliver(_ ticket: Int, _ answer: DeferredResult.Answer) {
        guard !isGone else { return }
        outbox.deliver(ticket, answer)
        flush()
    }

    func review() {}

    func close() {
        isGone = true
        routes?.end()
        routes = nil
    }

    // MARK: Caller

    func notify(_ notification: Notification) {}
    func ended(_ session: SessionName) {}
    func follow(_ target: WatchTarget, _ missed: Sessions.Missed) {
        subscriber.follow(target, missed, for: rights)
    }
    func unfollow(_ target: WatchTarget) { subscriber.unfollow(target) }
}
