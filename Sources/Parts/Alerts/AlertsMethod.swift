import GameFlow
package import JSONCoding
package import RPC
import Sessions
import Support

/// The method `alerts`: shows what does not work, and acknowledges alerts.
package struct AlertsMethod: PartMethod {
    package let method = Method.alerts
    private let board: AlertBoard
    private let otherNodes: any OtherNodes

    package init(_ board: AlertBoard, _ otherNodes: any OtherNodes) {
        (self.board, self.otherNodes) = (board, otherNodes)
    }

    /// Acknowledges an alert if the parameters name one. Then writes the alerts that concern the caller: those of sessions that
    /// it may operate, and the others if it may operate every session. Alerts of outputs reveal changes of sessions, so the
    /// result waits until the newest row of the journal is durable. With several nodes, the result has the alerts of all.
    package func call(
        _ params: borrowing Params, _ caller: any Caller, _ dispatcher: Dispatcher,
        _ writer: inout JSONWriter
    ) throws(CallError) -> CallOutcome {
        let rights = caller.rights
        guard rights.has(.operate) else { throw dispatcher.refusal(params, method, caller) }
        // The id of the alert to acknowledge, if this node does not have it.
        var unknownID: String?
        if let action = params.text(.action) {
            guard AlertAction(rawValue: action) == .ack else {
                throw .invalidParams("action: expected \(AlertAction.ack.rawValue)")
            }
            guard let id = params.text(.id) else { throw .invalidParams("id: missing") }
            // An alert that has ended meanwhile needs no acknowledgement, so an unknown id is no error.
            if visibleAlerts(to: rights).contains(where: { $0.id.hasSameBytes(as: id) }) {
                board.acknowledge(id)
            } else {
                unknownID = id
            }
        } else if params.has(.id) {
            throw .invalidParams("id: needs an action")
        }
        let request = RoutedRequest.toNode(
            method,
            [("action", params.text(.action)), ("id", params.text(.id))].compactMap { name, text in
                text.map { Member(name, $0) }
            })
        let row = dispatcher.sessions.newestRow
        return otherNodes.answer(request, for: caller, row: row, &writer) {
            [self, unknownID] others in
            let own = visibleAlerts(to: caller.rights).map(\.value)
            guard let others else { return Self.members(own, unknownID) }
            let alerts = AlertList.merged(own, of: otherNodes.ownName, others.answers)
            // A node without the alert has a note in its result.
            let isUnknown = others.answers.allSatisfy { $0.result["note"] != nil }
            return Self.members(
                alerts, isUnknown ? unknownID : nil, isComplete: others.isComplete)
        }
    }

    /// The result. `id` names an alert to acknowledge that no node has. `isComplete` says whether all nodes have been asked.
    private static func members(_ alerts: [Value], _ id: String?, isComplete: Bool = true)
        -> [Member]
    {
        let list = Member("alerts", .array(alerts))
        guard let id else { return [list] }
        let why =
            isComplete ? "it may have ended already" : "a node does not answer and may have it"
        return [list, Member("note", "there is no alert \(id); \(why)")]
    }

    private func visibleAlerts(to rights: Rights) -> [Alert] {
        let maySeeAll = rights.hasEverywhere(.operate)
        return board.alerts.filter { alert in
            maySeeAll || alert.session.map { rights.has(.operate, in: $0) } == true
        }
    }
}

/// The alerts of several nodes.
enum AlertList {
    /// The alerts of this node and those in the answers of others, the oldest first. Each has the name of its node.
    static func merged(_ own: [Value], of node: String, _ answers: [NodeAnswer]) -> [Value] {
        var alerts = own.map { add($0, node: node) }
        for answer in answers {
            guard case .array(let others)? = answer.result["alerts"] else { continue }
            alerts += others.map { add($0, node: answer.node) }
        }
        // Each node says that shards have no owner.
        var shardAlerts: Set<String> = []
        alerts.removeAll {
            guard case .object(let alert) = $0, alert["kind"]?.text == Alert.Kind.shard.rawValue
            else { return false }
            return !shardAlerts.insert(alert["id"]?.text ?? "").inserted
        }
        // Nodes answer in any order. The clocks of all nodes follow the database's.
        let sorted = alerts.enumerated().sorted {
            (since($0.element), $0.offset) < (since($1.element), $1.offset)
        }
        return sorted.suffix(AlertBoard.limit).map(\.element)
    }

    private static func add(_ alert: Value, node: String) -> Value {
        guard case .object(let members) = alert else { return alert }
        return .object(members + [Member("node", node)])
    }

    private static func since(_ alert: Value) -> Int {
        guard case .object(let members) = alert, case .int(let since)? = members["sinceMs"] else {
            return 0
        }
        return since
    }
}
