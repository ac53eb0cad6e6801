internal import GameFlow
internal import JSONCoding
internal import Sessions

/// The method `alerts`, which shows what does not work.
extension Dispatcher {
    /// The only action of the method `alerts`.
    static let acknowledgeAction = "ack"

    /// Acknowledges an alert if the parameters name one. Then writes the alerts that concern the caller: those of sessions that
    /// it may operate, and the others if it may operate every session. Alerts of outputs reveal changes of sessions, so the
    /// result waits until the newest row of the journal is durable.
    func alerts(_ params: borrowing Params, _ caller: any Caller, _ writer: inout JSONWriter)
        throws(CallError) -> Int
    {
        let rights = caller.rights
        guard rights.has(.operate) else { throw refusal(params, .alerts, caller) }
        var visibleAlerts = self.visibleAlerts(to: rights)
        switch (params.text(.action), params.text(.id)) {
        case (nil, nil): break
        case (Self.acknowledgeAction?, let id?):
            // An alert that has ended meanwhile needs no acknowledgement, so an unknown id is no error.
            if visibleAlerts.contains(where: { $0.id.utf8.elementsEqual(id.utf8) }) {
                alertRegistry?.acknowledge(id)
                visibleAlerts = self.visibleAlerts(to: rights)
            }
        case (Self.acknowledgeAction?, nil): throw .invalidParams("id: missing")
        case (nil, _): throw .invalidParams("id: needs an action")
        case (_?, _): throw .invalidParams("action: expected \(Self.acknowledgeAction)")
        }
        writer.object([Member("alerts", .array(visibleAlerts.map(\.value)))])
        return sessions.newestRow
    }

    private func visibleAlerts(to rights: Rights) -> [Alert] {
        let maySeeAll = rights.hasEverywhere(.operate)
        return (alertRegistry?.alerts ?? []).filter { alert in
            maySeeAll || alert.session.map { rights.has(.operate, in: $0) } == true
        }
    }
}
