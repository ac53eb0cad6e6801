public import GameFlow
public import JSON
internal import Support

/// What is sent to a session, and what an operator orders.
extension Sessions {
    /// Sends an event to a session. The same `id` again gets the first answer again, and changes
    /// nothing. `ageMs` says how old the event was when it was sent; `needs` what is lacking to who may
    /// not send an event of that name.
    public func send(
        _ event: String, _ arguments: [Member] = [], to session: Session, id: String? = nil,
        ageMs: Int = 0, from source: Source, needs: ((String) -> String?)? = nil
    ) throws(RequestError) -> Change {
        if let id, let (answer, mark) = receipts.answer(id, of: session.name) {
            // It shows nothing of what has happened since.
            recording.seen = mark
            return answer
        }
        requestID = id
        defer { endCall() }
        do throws(RequestError) {
            let change = try durably(session.name) { () throws(RequestError) in
                try take(event, arguments, session, ageMs: ageMs, from: source, needs: needs)
            }
            if let id {
                let out = receipts.remember(
                    change, as: id, of: session.name, mark: session.written.mark.position)
                // Those that made room come back if this is taken back.
                if !out.isEmpty { recording.uncommitted.changeLast { $0.forgotten += out } }
            }
            return change
        } catch {
            // What was taken and could not be kept was not refused by the flow.
            if case .storage = error { throw error }
            keepRefused(Happening(event, arguments), source, error, of: session)
            throw error
        }
    }

    private func take(
        _ event: String, _ arguments: [Member], _ session: Session, ageMs: Int, from source: Source,
        needs: ((String) -> String?)?
    ) throws(RequestError) -> Change {
        let index: EventIndex
        do { index = try session.flow.event(event) } catch {
            throw explain(error, event, session, source)
        }
        if let lacking = needs?(event) {
            throw .forbidden(.event(event), source: source.kind, needs: .right(lacking))
        }
        if source.kind == .bluetooth, ageMs > bluetoothAgeMs {
            throw .stale(ageMs: ageMs, limitMs: bluetoothAgeMs)
        }
        do throws(Reason) {
            return try session.record { () throws(Reason) in
                try session.machine.send(index, arguments, from: source)
            }
        } catch { throw explain(error, event, session, source) }
    }

    /// Puts a session into any state, by an operator's order: the selector is not asked.
    public func goto(
        _ state: String, _ data: [Member] = [], _ session: Session, reason: String? = nil,
        from source: Source
    ) throws(RequestError) -> Change {
        self.reason = reason
        defer {
            self.reason = nil
            endCall()
        }
        return try durably(session.name) { () throws(RequestError) in
            do throws(Reason) {
                return try session.record { () throws(Reason) in
                    try session.machine.goto(state, data, from: source)
                }
            } catch { throw explain(error, state: state, session.flow) }
        }
    }
}
