package import GameFlow
package import JSONCoding
package import RPC
import Sessions

/// Asks the other nodes of a store for their part of an answer. A part uses it for a method about what each node knows alone, for
/// example its alerts.
package protocol OtherNodes: AnyObject {
    /// The name of this node.
    var ownName: String { get }
    /// Returns a function that sends the request to each other node, and then calls its argument once with the results. Returns
    /// nil if no other node is to be asked, as for a caller of another node, which asks each node itself.
    func question(_ request: RoutedRequest, for caller: any Caller) -> NodeQuestion?
}

extension OtherNodes {
    /// Answers a call with what all nodes know. `members` makes the result; its argument has the results of the other nodes, and is
    /// nil if no other node is asked. A result of this node alone reveals what is in the journal up to `row`.
    package func answer(
        _ request: RoutedRequest, for caller: any Caller, row: Int, _ writer: inout JSONWriter,
        _ members: @escaping (_ others: NodeAnswers?) -> [Member]
    ) -> CallOutcome {
        guard let ask = question(request, for: caller) else {
            writer.object(members(nil))
            return .succeeded(row: row)
        }
        return .deferred(
            DeferredResult(members: { (done: @escaping (Result<[Member], RequestError>) -> Void) in
                ask { done(.success(members($0))) }
            }))
    }
}

/// Asks the other nodes; see `OtherNodes`.
package typealias NodeQuestion = (_ done: @escaping (NodeAnswers) -> Void) -> Void

/// The results of other nodes.
package struct NodeAnswers {
    package let answers: [NodeAnswer]
    /// Whether each other node has answered, and not refused the request.
    package let isComplete: Bool

    package init(_ answers: [NodeAnswer], isComplete: Bool) {
        (self.answers, self.isComplete) = (answers, isComplete)
    }
}

/// The result of another node.
package struct NodeAnswer {
    /// The name of the node.
    package let node: String
    package let result: [Member]

    package init(node: String, result: [Member]) { (self.node, self.result) = (node, result) }
}

/// The other nodes of a daemon that shares its sessions with no other.
package final class NoOtherNodes: OtherNodes {
    package let ownName = ""

    package init() {}

    package func question(_ request: RoutedRequest, for caller: any Caller) -> NodeQuestion? { nil }
}
