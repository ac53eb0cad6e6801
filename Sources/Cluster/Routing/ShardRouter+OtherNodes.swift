import GameFlow
import JSONCoding
package import Parts
package import RPC

/// Parts of this node ask the other nodes through the router.
extension ShardRouter: OtherNodes {
    /// How long a question waits for other nodes. One that does not answer is a fault that alerts show.
    private static let patience = Duration.seconds(2)

    package var ownName: String { name(ofNode: leases.identity) }

    package func question(_ request: RoutedRequest, for caller: any Caller) -> NodeQuestion? {
        guard let client = caller as? any RoutableClient, !client.isRelayed else { return nil }
        return { [weak self] done in
            guard let self else { return done(NodeAnswers([], isComplete: false)) }
            let nodeCount = otherNodes.count
            routedClient(of: client).askOtherNodes(request, patience: Self.patience) {
                [weak self] replies in
                let answers = self?.answers(replies) ?? []
                done(NodeAnswers(answers, isComplete: answers.count == nodeCount))
            }
        }
    }

    private func answers(_ replies: [(node: String, reply: RoutedReply)]) -> [NodeAnswer] {
        replies.compactMap { node, reply in
            guard case .result(let bytes) = reply, case .object(let result)? = Value(json: bytes)
            else { return nil }
            return NodeAnswer(node: name(ofNode: node), result: result)
        }
    }
}
