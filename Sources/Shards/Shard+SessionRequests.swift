import GameFlow
package import RPC
import Sessions

/// Requests to the sessions of a daemon that owns all sessions, in the name of its clients.
extension Shard: SessionRequests {
    package func route(_ request: RoutedRequest, from caller: any Caller) -> DeferredResult {
        DeferredResult { [weak self] done in
            guard let self else {
                return done(.failure(.refused(.storage(why: "the daemon ends", outcome: .undone))))
            }
            let client = RequestClient(caller, done)
            let lane = ShardLane(client, to: self)
            client.lane = lane
            lane.send(request)
        }
    }
}

/// The client of a lane on which one request is sent.
private final class RequestClient: LaneClient {
    private let caller: any Caller
    private let done: (DeferredResult.Outcome) -> Void
    /// The lane, until the reply has arrived.
    var lane: ShardLane?

    init(_ caller: any Caller, _ done: @escaping (DeferredResult.Outcome) -> Void) {
        (self.caller, self.done) = (caller, done)
    }

    var source: Source { caller.source }
    var rights: Rights { caller.rights }
    func reportForbidden(_ error: RequestError) -> Bool { caller.reportForbidden(error) }

    func receive(_ line: [UInt8]) {
        guard let lane else { return }
        self.lane = nil
        lane.end()
        done(RoutedReply(line).answer)
    }

    /// Does nothing: the request begins no watch.
    func shardMoved(_ shard: Int) {}
    func ownerServes(_ shard: Int, from pos: Int) {}

    func laneWasLost(unsent: Int) {
        lane = nil
        done(.failure(.refused(.storage(why: "the daemon ends", outcome: .unknown))))
    }
}
