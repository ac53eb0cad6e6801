package import Access
package import Cluster
package import GameFlow
import JSONCoding
import Parts
package import RPC
package import Sessions
package import Timers

/// This node's object for a client that is connected to another node. The other node has authenticated the client. It relays
/// the client's source, rights and requests to this node, because this node owns the sessions of these requests.
package final class RelayedClient: Client {
    /// The number by which the frames between the two nodes name the client.
    package let number: Int
    /// Whether the arguments of the client's events are texts, which the shard's dispatcher must convert to the types that the
    /// flow declares.
    package let needsArgumentConversion: Bool
    /// Whether the shard's dispatcher must add `linkedSteps` to the result of `status`.
    package let needsLinkedSteps: Bool
    /// Another node, to which the client is connected.
    package let origin: CallerOrigin
    package private(set) var identity: Identity
    package private(set) var rights: Rights
    package let context: ServerContext
    package let subscriber: Subscriber
    /// The connection from the other node. It owns this object.
    private weak var link: IncomingNodeLink?
    package var isFlushScheduled = false
    package var isReleaseScheduled = false
    package private(set) var isGone = false

    /// How many bytes of output are moved from the notifications' queue to the outbox at once.
    private static let outputPortion = 65_536

    package init(
        _ number: Int, _ source: Source, _ rights: Rights, needsArgumentConversion: Bool,
        needsLinkedSteps: Bool, resumesWatches: Bool, of link: IncomingNodeLink
    ) {
        (self.number, self.rights, self.link) = (number, rights, link)
        self.needsArgumentConversion = needsArgumentConversion
        self.needsLinkedSteps = needsLinkedSteps
        origin = .otherNode(resumesWatches: resumesWatches)
        identity = Identity(relayed: source)
        context = link.context
        subscriber = Subscriber(context.sessions, context.protocolHandler.encoder)
    }

    /// Replaces the source and the rights with new ones from the other node.
    func update(_ source: Source, _ rights: Rights) {
        (identity, self.rights) = (Identity(relayed: source), rights)
    }

    /// The instant, by the database's clock, since which the request that is being answered may have been sent; nil if it is not
    /// known.
    package private(set) var sentSince: Instant?

    /// Answers a request of the client. `sentSince` is the earliest instant at which the client may have sent it.
    package func answer(_ line: [UInt8], sentSince: Instant?) {
        self.sentSince = sentSince
        context.protocolHandler.answer(.line(line[...]), from: self)
        flush()
    }

    package func shardMoved(_ shard: Int) { link?.send(.moved(number, shard: shard)) }

    package func nodeServes(_ shard: Int, from pos: Int) {
        link?.send(.serves(number, shard: shard, pos: pos))
    }

    /// Sends the other node the replies whose rows are durable, and the notifications, one frame for each line.
    package func flush() {
        guard !isGone, let link else { return }
        repeat {
            subscriber.fill(upTo: Self.outputPortion, for: rights)
            let bytes = outbox.takeSendableBytes()
            if bytes.isEmpty { break }
            for line in bytes.split(separator: UInt8(ascii: "\n")) {
                let line = line.count > context.limits.replyBytes ? refusal[...] : line
                link.send(.line(number, String(decoding: line, as: UTF8.self)))
            }
        } while true
        if outbox.isWaiting { context.releaseLater(self) }
    }

    /// The reply in place of one that is too long for a frame.
    private var refusal: [UInt8] {
        var writer = JSONWriter(capacity: 256)
        writer.reply(
            refusing: .refused(.limit(which: "replyBytes", limit: context.limits.replyBytes)))
        return writer.bytes
    }

    /// Delivers a deferred result. `ticket` is the number that `outbox` gave the result when it was deferred.
    package func deliver(_ ticket: Int, _ answer: DeferredResult.Outcome) {
        guard !isGone else { return }
        outbox.deliver(ticket, answer)
        flush()
    }

    /// Does nothing when the configuration changes: the other node determines the rights, and sends new
    /// ones before the next request.
    package func updateRights() {}

    package func close() {
        isGone = true
        context.router?.callerHasGone(self)
    }

    // MARK: Caller

    // `notify` and `ended` do nothing, because this object watches no session. The client's lanes watch the sessions; their
    // notifications arrive by `receive`.
    package func notify(_ notification: Notification) {}
    package func ended(_ session: SessionName) {}
    package func beginWatch(_ target: WatchTarget, _ missed: Sessions.Missed) {
        subscriber.beginWatch(target, missed, for: rights)
    }
    package func endWatch(_ target: WatchTarget) { subscriber.endWatch(target) }
}
