package import GameFlow
package import JSONCoding
package import RPC
import Sessions
import Support

/// What reaches the alerts of other nodes.
package protocol AlertSharing: AnyObject {
    /// Returns a function that acknowledges an alert at the other nodes, if an action is given, and then calls its argument once
    /// with the alerts of all nodes, the oldest first, as far as they concern the caller. Each alert has the name of its node. `own`
    /// returns those of this node. Returns nil if no other node is to be asked, as for a caller of another node, which asks each
    /// node itself.
    func collection(
        _ action: String?, id: String?, for caller: any Caller, own: @escaping () -> [Value]
    ) -> ((_ done: @escaping ([Value]) -> Void) -> Void)?
}

/// The alerts of a daemon that shares its sessions with no other.
package final class UnsharedAlerts: AlertSharing {
    package init() {}

    package func collection(
        _ action: String?, id: String?, for caller: any Caller, own: @escaping () -> [Value]
    ) -> ((_ done: @escaping ([Value]) -> Void) -> Void)? { nil }
}

/// The method `alerts`: shows what does not work, and acknowledges alerts.
package struct AlertsMethod: PartMethod {
    package let method = Method.alerts
    private let board: AlertBoard
    private let sharing: any AlertSharing

    package init(_ board: AlertBoard, _ sharing: any AlertSharing) {
        (self.board, self.sharing) = (board, sharing)
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
        var visibleAlerts = self.visibleAlerts(to: rights)
        // The id that the caller asks for and this node does not have. An alert of an output ends when it is acknowledged, so it is
        // looked for before that.
        var unknownID: String?
        if let action = params.text(.action) {
            guard AlertAction(rawValue: action) == .ack else {
                throw .invalidParams("action: expected \(AlertAction.ack.rawValue)")
            }
            guard let id = params.text(.id) else { throw .invalidParams("id: missing") }
            // An alert that has ended meanwhile needs no acknowledgement, so an unknown id is no error.
            if visibleAlerts.contains(where: { $0.id.utf8.elementsEqual(id.utf8) }) {
                board.acknowledge(id)
                visibleAlerts = self.visibleAlerts(to: rights)
            } else {
                unknownID = id
            }
        } else if params.has(.id) {
            throw .invalidParams("id: needs an action")
        }
        let (action, id) = (params.text(.action), params.text(.id))
        let own = { [self] in self.visibleAlerts(to: caller.rights).map(\.value) }
        if let collect = sharing.collection(action, id: id, for: caller, own: own) {
            let result = DeferredResult(members: { (done: @escaping (MembersResult) -> Void) in
                collect { [unknownID] in done(.success(Self.members($0, unknownID))) }
            })
            return .deferred(result)
        }
        writer.object(Self.members(visibleAlerts.map(\.value), unknownID))
        return .succeeded(row: dispatcher.sessions.newestRow)
    }

    /// The result. `id` names an alert that this node does not have; if no other node has it, a note says so.
    private static func members(_ alerts: [Value], _ id: String?) -> [Member] {
        let list = Member("alerts", .array(alerts))
        let isThere = alerts.contains { alert in
            guard case .object(let members) = alert, let id else { return false }
            return members["id"]?.text?.hasSameBytes(as: id) == true
        }
        guard let id, !isThere else { return [list] }
        return [list, Member("note", "there is no alert \(id); it may have ended already")]
    }

    private typealias MembersResult = Result<[Member], RequestError>

    private func visibleAlerts(to rights: Rights) -> [Alert] {
        let maySeeAll = rights.hasEverywhere(.operate)
        return board.alerts.filter { alert in
            maySeeAll || alert.session.map { rights.has(.operate, in: $0) } == true
        }
    }
}
