import GameFlow
package import RPC
import Sessions
package import Shards

/// The lane of one client to another node. The client's requests, replies and notifications are frames of a `NodeLink`, the
/// connection to that node. `RoutedClient` uses the lane to send requests. The link passes arriving replies and notifications
/// to the lane.
package final class NodeLane: Lane {
    /// The number by which the frames between the two nodes name the client.
    package let number: Int
    /// The receiver of replies and notifications. It retains this lane.
    private weak var client: (any LaneClient)?
    private let link: NodeLink
    /// The source and the grants that were last sent to the other node; nil if none were sent.
    private var sentIntroduction: (source: Source, grants: [Grant])?
    /// The requests that wait until both nodes have proved that they are nodes.
    var unsentRequests: [RoutedRequest] = []
    private var isEnded = false

    package init(_ number: Int, _ client: any LaneClient, over link: NodeLink) {
        (self.number, self.client, self.link) = (number, client, link)
    }

    package func send(_ request: RoutedRequest) { link.send(request, from: self) }

    /// Returns a frame with the client's source and rights, and records both as sent: the caller must send the frame. Returns
    /// nil if the other node has them already.
    func takeIntroduction() -> NodeFrame? {
        guard let client else { return nil }
        let (source, rights) = (client.source, client.rights)
        if let sentIntroduction, sentIntroduction.source.hasSameRelayedValue(as: source),
            sentIntroduction.grants == rights.grants
        {
            return nil
        }
        sentIntroduction = (source, rights.grants)
        return .client(
            number, source: source.relayed, grants: rights.relayed,
            needsArgumentConversion: client.needsArgumentConversion,
            needsLinkedSteps: client.needsLinkedSteps, resumesWatches: true)
    }

    /// Sends the requests that have waited: the link is ready now.
    func linkIsReady() {
        for request in exchange(&unsentRequests, with: []) { send(request) }
    }

    /// Passes a reply or a notification of the other node on to the client.
    package func receive(_ line: [UInt8]) { if !isEnded { client?.receive(line) } }

    /// The other node reports that one of its shards has moved to another owner.
    package func shardMoved(_ shard: Int) { if !isEnded { client?.shardMoved(shard) } }

    /// The other node reports that it now serves a shard, whose newest change has the number `pos`.
    package func ownerServes(_ shard: Int, from pos: Int) {
        if !isEnded { client?.ownerServes(shard, from: pos) }
    }

    /// Ends the lane: the connection to the other node is lost or could not be made.
    func linkWasLost() {
        guard !isEnded else { return }
        isEnded = true
        client?.laneWasLost(unsent: unsentRequests.count)
    }

    package func end() {
        guard !isEnded else { return }
        isEnded = true
        link.remove(self)
    }
}
