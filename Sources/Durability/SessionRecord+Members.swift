public import GameFlow
public import Sessions
internal import Timers

extension SessionRecord {
    /// The record in the format of `gamectl journal export`: its members in a fixed order. What the row itself contains, such as
    /// its checksum and its position in the journal, is left out; `pos` is the number of the newest change. Nanoseconds are
    /// strings, because JSON numbers do not represent them exactly.
    public var members: [Member] {
        switch body {
        case .change(let recorded): members(of: recorded)
        case .rest(let recorded, let rest): members(of: rest, recorded)
        case .refusal(let refusal): members(of: refusal)
        case .start(let start):
            [
                Member("kind", "start"), Member("pos", pos), .nanoseconds("nowNs", start.now),
                .nanoseconds("lastSignNs", start.lastAlive),
            ] + start.notes
        case .advance(let advance): members(of: advance)
        case .quarantineGivenUp(let why, let source):
            // A quarantined session could not be restored: its flow and the instant of its opening are not known.
            [Member("flow", ""), .nanoseconds("openedNs", .zero), Member("pos", pos)]
                + Self.members(of: Step(.close, from: source, nil, nil))
                + [Member("reason", why)]
        case .flowText(let name, let source):
            [
                Member("kind", "flow"), Member("pos", pos), Member("flow", name),
                Member("version", source.version),
                Member("text", String(decoding: source.text, as: UTF8.self)),
            ] + (source.tableFiles.isEmpty ? [] : [Member("tables", .object(source.tableTexts))])
        case .deliveries(let deliveries):
            [
                Member("kind", "delivery"), Member("pos", pos),
                Member("outputs", .array(deliveries.map(Self.value))),
            ]
        case .clock(let correction):
            [
                Member("kind", "clock"), Member("pos", pos),
                .nanoseconds("correctionNs", correction.nanoseconds),
            ]
        case .forgotten(let forgotten):
            [
                Member("kind", "forgotten"), Member("pos", pos),
                Member("from", forgotten.positions.first ?? 0),
                Member("to", forgotten.positions.last ?? 0),
                Member("count", forgotten.positions.count),
                Member("openings", forgotten.openings),
            ]
        }
    }

    private func members(of recorded: Status) -> [Member] {
        let missed = recorded.change.step.missed
        return head(recorded)
            + optional("id", id.map { .string($0) })
            + optional("missed", missed > 0 ? .int(missed) : nil)
            + tail(recorded)
    }

    private func members(of rest: Rest, _ recorded: Status) -> [Member] {
        let last = recorded.change
        return head(recorded) + flag("rest", true)
            + optional("fired", rest.fired.map { .string($0) })
            + optional("id", id.map { .string($0) })
            + optional("answer", rest.answer.map { .object(Self.members(of: $0)) })
            + [.nanoseconds("lastNs", last.at), Member("lastPos", last.pos)]
            + tail(recorded)
    }

    private func members(of refusal: RefusedEvent) -> [Member] {
        let event =
            [
                Member("name", refusal.event.name),
                Member("args", .object(refusal.event.arguments)),
            ]
            + optional("omittedBytes", refusal.omittedBytes > 0 ? .int(refusal.omittedBytes) : nil)
        let error = [
            Member("code", refusal.error.code), Member("message", refusal.error.name),
            Member("data", .object(refusal.error.data)),
        ]
        return [
            Member("pos", pos), Member("event", .object(event)),
            Member("source", refusal.source.value), Member("error", .object(error)),
        ] + optional("dropped", refusal.dropped > 0 ? .int(refusal.dropped) : nil)
            + (refusal.receipt?.recordMembers ?? [])
    }

    private func members(of advance: ClockAdvance) -> [Member] {
        [
            Member("kind", "advance"), Member("pos", pos), .nanoseconds("nowNs", advance.now),
            Member("fired", advance.fired),
        ] + flag("more", advance.isCutShort)
            + [
                advance.by.map { .nanoseconds("byNs", $0.nanoseconds) }
                    ?? Member("toNext", .bool(true))
            ] + optional("source", advance.source.map { $0.value })
    }

    // MARK: parts

    /// The members that come first in the records of changes and rests.
    private func head(_ status: Status) -> [Member] {
        [Member("flow", status.flow)]
            + optional(
                "version",
                status.sourceVersion.map { .string($0) } ?? status.flowVersion.map { .int($0) })
            + [.nanoseconds("openedNs", status.openedAt), Member("pos", pos)]
            + optional("entry", status.entry > 0 ? .int(status.entry) : nil)
            + (status.enteredAt.map { [.nanoseconds("enteredNs", $0)] } ?? [])
            + Self.members(of: status.change) + flag("follows", status.isConsequence)
    }

    /// The members that come last in the records of changes and rests.
    private func tail(_ status: Status) -> [Member] {
        optional("ids", status.requestIDCount > 0 ? .int(status.requestIDCount) : nil)
            + optional("settings", status.settings.isEmpty ? nil : .object(status.settings))
            + optional("labels", status.labels.isEmpty ? nil : .object(status.labels))
            + optional("say", status.notes?.message.map { Self.value(of: $0) })
            + optional("opening", status.notes?.opening.map { Self.value(of: $0) })
            + (status.machine.map { Self.members(of: $0) } ?? [])
    }

    private static func members(of machine: MachineRecord) -> [Member] {
        [
            Member("timers", .array(machine.timers.map { value(of: $0) })),
            Member("waiting", .array(machine.waiting.map { value(of: $0) })),
            // The order in which timers with the same deadline fire. A paused timer has no place in this order, so its number
            // is 0.
            Member("orders", .array(machine.timers.map { .int($0.isPaused ? 0 : Int($0.order)) })),
        ]
            + (machine.moments.isEmpty
                ? [] : [Member("moments", .array(machine.moments.map { value(of: $0) }))])
    }

    private static func value(of timer: TimerRecord) -> Value {
        let traits: [(name: String, trait: TimerTraits)] = [
            ("stopwatch", .stopwatch), ("overtime", .overtime), ("fired", .fired),
            ("beginsPaused", .beginsPaused), ("held", .held),
            ("pausedByProgram", .pausedByProgram),
        ]
        let state: Member =
            switch timer.state {
            case .running(let until): .nanoseconds("untilNs", until)
            case .paused(let remaining): .nanoseconds("leftNs", remaining.nanoseconds)
            }
        return .object(
            [
                Member("fires", timer.fires), .nanoseconds("totalNs", timer.total.nanoseconds),
                state,
            ]
                + traits.filter { timer.traits.contains($0.trait) }.map {
                    Member($0.name, .bool(true))
                } + (timer.until.map { [Member("until", value(of: $0))] } ?? []))
    }

    private static func value(of moment: Moment) -> Value {
        .object([
            Member("state", moment.place.state), Member("data", .object(moment.place.data)),
            .nanoseconds("atNs", moment.at),
            Member("timers", .array(moment.timers.map { value(of: $0) })),
        ])
    }

    private static func value(of until: UntilTime) -> Value {
        .object([
            Member("time", until.time.description), Member("zone", until.zone),
            .nanoseconds("sinceNs", until.since), .nanoseconds("dateNs", until.date),
            .nanoseconds("deadlineNs", until.deadline),
        ])
    }

    private static func value(of deferred: MachineRecord.Deferred) -> Value {
        .object([
            Member("event", value(of: deferred.event)), Member("source", deferred.source.value),
        ])
    }

    private static func value(of message: ScreenMessage) -> Value {
        .object(
            [Member("text", message.text), Member("seq", message.seq)]
                + (message.until.map { [.nanoseconds("untilNs", $0)] } ?? [])
                + (message.scope == .operators ? [] : [Member("scope", "\(message.scope)")]))
    }

    private static func value(of opening: SessionNotes.Opening) -> Value {
        .object([
            Member("settings", .object(opening.settings)),
            Member("labels", .object(opening.labels)),
        ])
    }

    private static func value(of delivery: DeliveryRecord) -> Value {
        .object(
            [
                Member("pos", delivery.key.pos), Member("number", delivery.number),
                // A hash of the configuration's line, as hexadecimal digits.
                Member("line", String(delivery.key.line, radix: 16)),
                Member("occasion", delivery.key.occasion),
                Member("outcome", "\(delivery.outcome)"),
            ] + (delivery.session.map { [Member("session", $0.text)] } ?? [])
                + (delivery.alert.map { [Member("alert", Self.value(of: $0))] } ?? []))
    }

    private static func value(of alert: DeliveryRecord.Alert) -> Value {
        .object([
            Member("id", alert.id), Member("name", alert.target), Member("text", alert.text),
            Member("session", alert.session.text),
        ])
    }

    private static func value(of event: EventRecord) -> Value {
        .object([Member("name", event.name), Member("args", .object(event.arguments))])
    }

    private static func value(of state: StateRecord) -> Value {
        .object([Member("state", state.state), Member("data", .object(state.data))])
    }

    private static func members(of change: Change) -> [Member] {
        members(of: change.step) + (change.details?.value.recordMembers ?? [])
            + members(of: change.message)
    }

    private static func members(of step: Step) -> [Member] {
        let effects = step.effects.map { effect -> Value in
            let arguments = effect.arguments.isEmpty ? nil : Value.object(effect.arguments)
            return .object(
                [Member("name", effect.name)] + (arguments.map { [Member("args", $0)] } ?? [])
                    + (effect.unshown.isEmpty
                        ? [] : [Member("unshown", .array(effect.unshown.map { .string($0) }))]))
        }
        return [
            Member("kind", step.kind.name),
            Member("event", step.event.map { value(of: $0) } ?? .null),
            Member("source", step.source.value),
            Member("from", step.from.map { value(of: $0) } ?? .null),
            Member("to", step.to.map { value(of: $0) } ?? .null),
            Member("effects", .array(effects)),
        ]
    }

    private static func members(of message: Change.MessageUpdate?) -> [Member] {
        switch message {
        case nil: []
        case .ended: [Member("messageEnded", .bool(true))]
        case .shown(let message): [Member("messageShown", value(of: message))]
        }
    }

    /// The member with a value; no member if the value is nil.
    private func optional(_ name: String, _ value: Value?) -> [Member] {
        value.map { [Member(name, $0)] } ?? []
    }

    /// The member with the value true if `isSet` is true; otherwise no member.
    private func flag(_ name: String, _ isSet: Bool) -> [Member] {
        isSet ? [Member(name, .bool(true))] : []
    }
}

extension Member {
    /// A member with nanoseconds as a text.
    fileprivate static func nanoseconds(_ name: String, _ instant: Instant) -> Member {
        nanoseconds(name, instant.nanoseconds)
    }

    fileprivate static func nanoseconds(_ name: String, _ number: Int64) -> Member {
        Member(name, String(number))
    }
}
