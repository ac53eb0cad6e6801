import GameFlow
import RPC
import Sessions
import Shards
import Support

/// A client's lane to one owner, and the client's requests that this owner has not answered yet.
final class OwnerRoute: LaneClient {
    /// What became of a request.
    enum Outcome {
        case reply(RoutedReply)
        /// The lane was lost: it is unknown whether the request was executed.
        case lost
        /// The lane was lost before the request was sent.
        case notSent
    }

    private weak var routedClient: RoutedClient?
    let owner: ShardRouter.Owner
    /// The lane; nil if the owner could not be reached, or the lane was lost.
    var lane: (any Lane)?
    /// The completion handlers of the requests without a reply, in the order in which the requests were sent.
    private var pending = Deque<(Outcome) -> Void>()

    init(_ routedClient: RoutedClient, _ owner: ShardRouter.Owner) {
        (self.routedClient, self.owner) = (routedClient, owner)
    }

    /// Sends a request, and calls `done` once with its outcome.
    func ask(_ request: RoutedRequest, _ done: @escaping (Outcome) -> Void) {
        guard let lane else { return done(.notSent) }
        pending.append(done)
        lane.send(request)
    }

    /// Ends the lane, which retains this object until then.
    func end() { exchange(&lane, with: nil)?.end() }

    // MARK: LaneClient

    // The values after `??` are never used for a request: without a `RoutedClient`, nobody sends one.
    var source: Source { routedClient?.client.source ?? .program }
    var rights: Rights { routedClient?.client.rights ?? .nothing }
    var needsArgumentConversion: Bool {
        routedClient?.client.needsArgumentConversion ?? false
    }
    var needsLinkedSteps: Bool { routedClient?.client.needsLinkedSteps ?? false }
    func reportForbidden(_ error: RequestError) -> Bool {
        routedClient?.client.reportForbidden(error) ?? false
    }

    func receive(_ line: [UInt8]) {
        if EncodedNotification.isNotification(line) {
            routedClient?.receive(line, from: owner)
        } else {
            pending.removeFirst()?(.reply(RoutedReply(line)))
        }
    }

    func shardMoved(_ shard: Int) { routedClient?.shardMoved(shard) }

    func ownerServes(_ shard: Int, from pos: Int) {
        routedClient?.watchOfAll.resume(in: shard, at: owner, restoredAt: pos)
    }

    func laneWasLost(unsent: Int) {
        // Retains the `RoutedClient` until each completion handler was called.
        let routedClient = routedClient
        var waiting = exchange(&pending, with: Deque())
        routedClient?.routeWasLost(self)
        while let done = waiting.removeFirst() {
            // `waiting` now has the later requests only. The last `unsent` of all requests were not sent.
            done(waiting.count < unsent ? .notSent : .lost)
        }
    }
}
