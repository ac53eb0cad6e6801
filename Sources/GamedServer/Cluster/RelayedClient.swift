import Durability
import GameFlow
import RPC
import Sessions

/// A client that is connected to another node. That node has authenticated it, and relays its requests, source and rights.
final class RelayedClient: Client {
    /// The number by which the frames name the client.
    let number: Int
    let needsArgumentConversion: Bool
    private(set) var identity: Identity
    private(set) var rights: Rights
    let context: ServerContext
    let subscriber: Subscriber
    private weak var link: IncomingNodeLink?
    var routedClient: RoutedClient?
    var isFlushScheduled = false
    var isReleaseScheduled = false
    private(set) var isGone = false

    init(
        _ number: Int, _ source: Source, _ rights: Rights, needsArgumentConversion: Bool,
        of link: IncomingNodeLink
    ) {
        (self.number, self.rights, self.link) = (number, rights, link)
        self.needsArgumentConversion = needsArgumentConversion
        identity = Identity(relayed: source)
        context = link.context
        subscriber = Subscriber(context.sessions, context.protocolHandler.encoder)
    }

    /// Replaces the source and the rights with new ones from the other node.
    func update(_ source: Source, _ rights: Rights) {
        (identity, self.rights) = (Identity(relayed: source), rights)
    }

    /// Answers a request of the client.
    func answer(_ line: [UInt8]) {
        context.protocolHandler.answer(.line(line[...]), from: self)
        flush()
    }

    /// Passes a notification on unchanged, after the replies that were written before it.
    func receive(_ notification: EncodedNotification) {
        guard !isGone else { return }
        subscriber.add(notification)
        context.flushLater(self)
    }

    func shardMoved(_ shard: Int) { link?.send(.moved(number, shard: shard)) }

    func flush() {
        guard !isGone, let link else { return }
        repeat {
            subscriber.fill(upTo: 65_536, for: rights)
            let bytes = outbox.take()
            if bytes.isEmpty { break }
            for line in bytes.split(separator: 0x0A) {
                link.send(.line(number, String(decoding: line, as: UTF8.self)))
            }
        } while true
        if outbox.isWaiting { context.releaseLater(self) }
    }

    func deliver(_ ticket: Int, _ answer: DeferredResult.Outcome) {
        guard !isGone else { return }
        outbox.deliver(ticket, answer)
        flush()
    }

    /// The other node determines the rights.
    func updateRights() {}

    func close() {
        isGone = true
        routedClient?.end()
        routedClient = nil
    }

    // MARK: Caller

    func notify(_ notification: Notification) {}
    func ended(_ session: SessionName) {}
    func beginWatch(_ target: WatchTarget, _ missed: Sessions.Missed) {
        subscriber.beginWatch(target, missed, for: rights)
    }
    func endWatch(_ target: WatchTarget) { subscriber.endWatch(target) }
}
