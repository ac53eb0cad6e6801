package import GameFlow
import JSONCoding
package import RPC
package import Sessions
package import Timers

/// The path of one client's requests to one owner. The owner receives the requests in order; replies and notifications come
/// back as lines.
package protocol Lane: AnyObject {
    func send(_ request: RoutedRequest)
    /// Ends the lane: no further line comes back.
    func end()
}

/// A lane to a shard of this node. For the shard's dispatcher, the lane is the caller that makes the client's requests.
package final class ShardLane: Lane, Caller, ScheduledOutput {
    private let client: any LaneClient
    /// The shard; nil when this node no longer owns it.
    private weak var shard: Shard?
    /// The client's watches in this shard, and the output that waits for durable rows.
    private let subscriber: Subscriber
    /// The sessions of the shard. The lane retains them, because the subscriber does not.
    private let sessions: Sessions
    package var isReleaseScheduled = false
    package var isFlushScheduled = false
    private var isEnded = false
    /// The number of requests that the shard holds and has not executed yet.
    var heldRequests = 0
    /// The instant since which the request that is being executed may have been sent. The shard sets it.
    package var sentSince: Instant?

    /// How many bytes of output are moved from the notifications' queue to the outbox at once.
    private static let outputPortion = 65_536

    package init(_ client: any LaneClient, to shard: Shard) {
        (self.client, self.shard, sessions) = (client, shard, shard.sessions)
        subscriber = Subscriber(sessions, shard.handler.encoder)
    }

    // MARK: Lane

    package func send(_ request: RoutedRequest) {
        guard let shard, !isEnded else { return client.laneWasLost(unsent: 1) }
        shard.answer(request, from: self)
    }

    package func end() {
        guard !isEnded else { return }
        isEnded = true
        subscriber.unwatchAll(self)
        shard?.remove(self)
    }

    /// Ends the lane, because this node is no longer the owner of the shard.
    func ownerWasLost() {
        guard !isEnded else { return }
        isEnded = true
        client.laneWasLost(unsent: heldRequests)
    }

    // MARK: Caller

    package var source: Source { client.source }
    package var rights: Rights { client.rights }
    package var needsArgumentConversion: Bool { client.needsArgumentConversion }
    package var needsLinkedSteps: Bool { client.needsLinkedSteps }
    package var outbox: ReplyBuffer { subscriber.outbox }

    package var isGone: Bool { isEnded }

    package func watches(_ target: WatchTarget) -> Bool { subscriber.watched.contains(target) }

    package func beginWatch(_ target: WatchTarget, _ missed: Sessions.Missed) {
        subscriber.beginWatch(target, missed, for: rights)
        shard?.flushLater(self)
    }

    package func endWatch(_ target: WatchTarget) { subscriber.endWatch(target) }

    package func notify(_ notification: Notification) {
        guard !isEnded else { return }
        subscriber.add(notification, for: rights)
        shard?.flushLater(self)
    }

    package func ended(_ session: SessionName) { endWatch(.session(session)) }

    package func reportForbidden(_ error: RequestError) -> Bool { client.reportForbidden(error) }

    /// Delivers a deferred result. `ticket` is the number that `outbox` gave the result when it was deferred.
    package func deliver(_ ticket: Int, _ answer: DeferredResult.Outcome) {
        guard !isEnded else { return }
        outbox.deliver(ticket, answer)
        flush()
    }

    // MARK: output

    package func storeFailed(_ error: RequestError, in failedShard: Shard) {
        guard shard === failedShard else { return }
        subscriber.fail(error, self)
        flush()
    }

    package func writeDurableOutput() { flush() }

    /// Answers a request with an error, without executing it. The answer follows the replies to earlier requests.
    package func refuse(_ error: RequestError) {
        // An error's reply is shorter than 256 bytes in most cases; the buffer grows if necessary.
        var writer = JSONWriter(capacity: 256)
        writer.reply(refusing: .refused(error.shown(to: rights)))
        outbox.write(line: writer.bytes + [UInt8(ascii: "\n")])
        flush()
    }

    /// Passes on the replies whose rows are durable, and the notifications.
    package func flush() {
        guard !isEnded else { return }
        subscriber.release()
        repeat {
            subscriber.fill(upTo: Self.outputPortion, for: rights)
            let bytes = outbox.takeSendableBytes()
            if bytes.isEmpty { break }
            for line in bytes.split(separator: UInt8(ascii: "\n")) where !isEnded {
                client.receive(Array(line))
            }
        } while !isEnded
        if outbox.isWaiting || !subscriber.isEmpty { shard?.releaseLater(self) }
    }
}

/// The client at the other end of a lane. It acts for a `RoutedCaller`, which makes
/// the requests.
package protocol LaneClient: Requester {
    /// Called with a reply or a notification, without its newline.
    func receive(_ line: [UInt8])
    /// Called when a shard of another node has moved to a new owner. The client's watches must be resumed at this new owner.
    func shardMoved(_ shard: Int)
    /// Called when another node begins to serve a shard, whose newest change has the number `pos`. The client's watch of all
    /// sessions must be resumed in this shard.
    func ownerServes(_ shard: Int, from pos: Int)
    /// Called when the lane has ended: no reply will come. The owner has not executed the last `unsent` requests; whether it
    /// has executed the earlier requests without a reply is unknown.
    func laneWasLost(unsent: Int)
}
