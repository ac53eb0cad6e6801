import GameFlow
import RPC
import Sessions

/// A client's way to the sessions of another node.
final class NodeLane: Lane {
    let number: Int
    private weak var client: (any LaneClient)?
    private let link: NodeLink
    private var introduced: (source: Source, grants: [Grant])?
    /// Lines that wait until the nodes have proved themselves.
    var waiting: [[UInt8]] = []
    private var isEnded = false

    init(_ number: Int, _ client: any LaneClient, over link: NodeLink) {
        (self.number, self.client, self.link) = (number, client, link)
    }

    func send(_ line: [UInt8]) { link.send(self, line) }

    /// The frame with the client's source and rights, if they are not those that were sent.
    var introduction: NodeFrame? {
        guard let client else { return nil }
        let (source, rights) = (client.source, client.rights)
        if let introduced, introduced.source.isRelayed(as: source),
            introduced.grants == rights.grants
        {
            return nil
        }
        introduced = (source, rights.grants)
        return .client(
            number, source: source.relayed, grants: rights.relayed,
            convertsArguments: client.convertsArguments)
    }

    func linkIsReady() { for line in exchange(&waiting, with: []) { send(line) } }

    func receive(_ line: [UInt8]) { if !isEnded { client?.receive(line) } }

    func moved(_ shard: Int) { if !isEnded { client?.shardMoved(shard) } }

    func linkWasLost() {
        guard !isEnded else { return }
        isEnded = true
        client?.laneWasLost(unsent: waiting.count)
    }

    func end() {
        guard !isEnded else { return }
        isEnded = true
        link.forget(self)
    }
}
