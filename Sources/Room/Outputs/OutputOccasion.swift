package import GameFlow
import JSONCoding
package import Outputs
package import Parts
import RPC
package import Sessions
import Support
package import Timers

/// The cause of outputs. A cause is a change that asks for an effect, a change that enters or leaves a state, a refused event,
/// a session that stays in a state longer than usual, or an alert.
package struct OutputOccasion {
    package enum Kind: Equatable {
        case effect(EffectRecord)
        case enter
        case leave
        case refused(EventRecord)
        case stuck
        case alert(Alert)
    }

    package let kind: Kind
    /// Nil for an alert that is about no session, or about several.
    package let session: SessionName?
    /// The name of the session's flow.
    package let flow: String
    /// The `seq` of the session's newest change at the time of the occasion.
    package let seq: Int
    /// The number of the session's present entry: the `pos` of the change that entered the state.
    package let entry: Int
    /// The time of the occasion, on the sessions' clock.
    package let at: Instant
    /// The session's state at the time of the occasion; for a change, the state after the change, or the state that it leaves if
    /// the occasion is `leave`.
    package let state: StateRecord?
    package let labels: [Member]
    /// Whether an operator tests an `on` line. Placeholders without a value then have the value `test`.
    private(set) var isTest = false

    /// The occasion of a change: one of its effects, its entry, or the end of the visit before.
    package init(_ kind: Kind, _ change: Change, flow: String, labels: [Member]) {
        (self.kind, session, self.flow, self.labels) = (kind, change.session, flow, labels)
        (seq, entry) = (change.seq, change.entry)
        (at, state) = (change.at, kind == .leave ? change.step.from : change.step.to)
    }

    /// An occasion that is not a change: a refusal, a stuck session or an operator's test. `status` is the session's present
    /// status.
    package init(_ kind: Kind, _ status: SessionStatus, isTest: Bool = false) {
        (self.kind, session, flow) = (kind, status.name, status.flow.name)
        (seq, entry) = (status.seq, status.entry)
        (at, state, labels) = (status.at, status.stateRecord, status.notes?.labels ?? [])
        self.isTest = isTest
    }

    /// The occasion of a session that was stuck at `instant` and has left the state since then, by the change in `end`.
    package init(
        stuckAt instant: Instant, in entry: Int,
        until end: UnsentOutputs<OutputMessage>.Accepted.End
    ) {
        let change = end.change
        (kind, session, flow, labels) = (.stuck, change.session, end.flow, end.labels)
        // The newest change before the session left the state.
        (seq, self.entry) = (change.seq - 1, entry)
        (at, state) = (instant, change.step.from)
    }

    /// The occasion of an alert that begins.
    package init(_ alert: Alert) {
        (kind, session, flow, labels) = (.alert(alert), alert.session, "", [])
        (seq, entry, at, state) = (0, 0, alert.since, nil)
    }

    /// The name of the effect; nil for an occasion of another kind.
    package var effect: String? { if case .effect(let effect) = kind { effect.name } else { nil } }

    /// The arguments of the effect, or of the event that was refused.
    private var arguments: [Member] {
        switch kind {
        case .effect(let effect): effect.arguments
        case .enter, .leave, .stuck, .alert: []
        case .refused(let event): event.arguments
        }
    }

    /// The value of a placeholder; nil if the occasion does not have it.
    package func value(of placeholder: OutputPlaceholder) -> Value? {
        let value: Value? =
            switch placeholder {
            case .args(let name): Self.field(name, arguments)
            case .data(let name): Self.field(name, state?.data ?? [])
            case .label(let name): labels[name]
            case .session: session.map { .string($0.text) }
            case .state: state.map { .string($0.state) }
            case .effect: effect.map { .string($0) }
            case .alert(let field): alert(field).map { .string($0) }
            }
        return value ?? (isTest ? .string("test") : nil)
    }

    private func alert(_ field: OutputPlaceholder.AlertField) -> String? {
        guard case .alert(let alert) = kind else { return nil }
        return switch field {
        case .kind: alert.kind.rawValue
        case .name: alert.name
        case .text: alert.text
        }
    }

    /// The member with this name; for the name of a duration, its text.
    private static func field(_ name: String, _ members: [Member]) -> Value? {
        if let value = members[name] { return value }
        guard case .int(let ms)? = members[name + Field.durationSuffix] else {
            return nil
        }
        return .string(DurationText.clock(milliseconds: ms))
    }

    /// The value of the member `type` in the body of a webhook.
    package var type: String {
        switch kind {
        case .effect: "gamed.effect"
        case .enter: "gamed.enter"
        case .leave: "gamed.leave"
        case .refused: "gamed.refused"
        case .stuck: "gamed.stuck"
        case .alert: "gamed.alert"
        }
    }

    /// The members of the JSON object that programs and webhooks receive. `id` is the id of the output.
    package func members(id: String) -> [Member] {
        let time = [
            Member("atMs", Int(at.milliseconds)), Member("time", Timestamp.text(at)),
        ]
        if case .alert(let alert) = kind {
            return [Member("id", id), Member("alert", alert.value)] + time
        }
        var members = [
            Member("id", id), Member("session", session.map { .string($0.text) } ?? .null),
            Member("flow", flow),
        ]
        if let effect { members.append(Member("effect", effect)) }
        if case .refused(let event) = kind { members.append(Member("event", event.name)) }
        return members + [
            Member("args", .object(arguments)),
            Member("state", state.map { .string($0.state) } ?? .null),
            Member("data", .object(state?.data ?? [])), Member("labels", .object(labels)),
            Member("entry", entry), Member("seq", seq),
        ] + time
    }

    /// The object with these members as one line, which ends with LF.
    package func json(id: String) -> [UInt8] {
        JSONWriter.bytes { $0.object(members(id: id)) } + [UInt8(ascii: "\n")]
    }
}
