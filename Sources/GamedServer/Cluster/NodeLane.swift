import GameFlow
import RPC
import Sessions

/// A lane over a `NodeLink` to the sessions of another node.
final class NodeLane: Lane {
    /// The number by which the frames name the client.
    let number: Int
    private weak var client: (any LaneClient)?
    private let link: NodeLink
    /// The source and the grants that were last sent to the other node; nil if none were sent.
    private var sentIntroduction: (source: Source, grants: [Grant])?
    /// Lines that wait until both nodes have proved that they are nodes.
    var unsentLines: [[UInt8]] = []
    private var isEnded = false

    init(_ number: Int, _ client: any LaneClient, over link: NodeLink) {
        (self.number, self.client, self.link) = (number, client, link)
    }

    func send(_ line: [UInt8]) { link.send(self, line) }

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
            needsArgumentConversion: client.needsArgumentConversion)
    }

    func linkIsReady() { for line in exchange(&unsentLines, with: []) { send(line) } }

    func receive(_ line: [UInt8]) { if !isEnded { client?.receive(line) } }

    func moved(_ shard: Int) { if !isEnded { client?.shardMoved(shard) } }

    func linkWasLost() {
        guard !isEnded else { return }
        isEnded = true
        client?.laneWasLost(unsent: unsentLines.count)
    }

    func end() {
        guard !isEnded else { return }
        isEnded = true
        link.remove(self)
    }
}
