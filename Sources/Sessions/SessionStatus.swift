public import GameFlow
public import Timers

/// A copy of what clients can see of a session at one instant.
public struct SessionStatus {
    public let name: SessionName
    public let flow: AnyFlow
    /// The state and its data.
    public let stateRecord: StateRecord
    public let isFinal: Bool
    public let seq: Int
    /// The `pos` of the change that entered the state.
    public let entry: Int
    public let openedAt: Instant
    public let timers: [LiveTimer]
    /// The number of deferred events.
    public let deferred: Int
    /// The events that the state takes or defers, some of them only with suitable arguments, in the flow's order.
    public let accepts: [String]
    /// The reason for which the store cannot record changes at present; nil while it can.
    public let storage: String?
    /// The labels and the message of the session; nil if it has none.
    public let notes: SessionNotes?
    /// The signal of the timer that the players' screen shows in large type; nil if it shows none in
    /// large type.
    public let clock: String?
    /// Whether the session is stuck: its visit to the state is longer than 90 % of the past visits to that state.
    public let isStuck: Bool
    /// How people join as players; nil if the screens of the session do not show it now.
    public let join: ScreenJoin?
    /// The instant of the status.
    public let at: Instant
}

/// A page of sessions in the order of their names.
public struct SessionPage {
    public let sessions: [SessionStatus]
    /// Whether there are more sessions after the page.
    public let more: Bool
}

extension Session {
    /// The status of the session at the present instant. After a failure of the store, until the session is restored, the
    /// status shows the newest durable state.
    public var status: SessionStatus {
        if let earlier = sessions.recording.suspended[name] { return status(of: earlier) }
        return SessionStatus(
            name: name, flow: flow, stateRecord: machine.place, isFinal: machine.isFinal, seq: seq,
            entry: entry, openedAt: openedAt, timers: machine.liveTimers,
            deferred: machine.deferredCount, accepts: machine.accepts, storage: sessions.outage,
            notes: notes, clock: clock(in: machine.place, flow), isStuck: isStuck,
            join: join, at: sessions.now)
    }

    /// Returns the status of the session as it was before the changes that a failed store has not recorded.
    private func status(of earlier: SessionState) -> SessionStatus {
        let (machine, flow) = (earlier.machine, earlier.machine.flow)
        let place = machine.place
        let snapshot = MachineRecord(place: place, timers: [], waiting: [])
        return SessionStatus(
            name: name, flow: flow, stateRecord: place,
            isFinal: flow.finals.contains(place.state), seq: seq, entry: entry,
            openedAt: openedAt, timers: machine.timers,
            deferred: machine.waiting.count,
            accepts: flow.describe(snapshot, at: sessions.now)?.accepts ?? [],
            storage: sessions.outage, notes: earlier.notes,
            clock: clock(in: place, flow), isStuck: isStuck, join: join, at: sessions.now)
    }

    /// The signal of the timer that the players' screen shows in large type. The timer is the operator's choice in the
    /// configuration, or, without this choice, the flow's choice for this state. Nil if there is no choice.
    private func clock(in place: StateRecord, _ flow: AnyFlow) -> String? {
        sessions.largeTimers[name] ?? flow.presentation.states[place.state]?.clock
    }

    /// The name of the state that `status` shows.
    package var shownState: String {
        sessions.recording.suspended[name]?.machine.place.state ?? stateName
    }

    private var join: ScreenJoin? {
        sessions.screenJoins.isEmpty ? nil : sessions.screenJoins[name]
    }

    /// Whether the session stays in its state longer than usual.
    package var isStuck: Bool { sessions.stuckMarks.entry(of: name) == entry }
}

extension SessionStatus {
    /// Creates the status of a session after a recorded change. `status` is the record's part about the session. If it has no
    /// snapshot of the machine (`status.machine`), the created status shows no timers and no deferred events.
    init(_ change: Change, _ status: SessionRecord.Status, _ flow: AnyFlow) {
        let place = change.step.to ?? change.step.from ?? StateRecord("")
        let snapshot = status.machine ?? MachineRecord(place: place, timers: [], waiting: [])
        let machine = flow.describe(snapshot, at: change.at)
        self.init(
            name: change.session, flow: flow, stateRecord: place,
            isFinal: flow.finals.contains(place.state),
            // The answer to a closing shows the session as it was before the closing.
            seq: change.kind == .close ? change.seq - 1 : change.seq, entry: change.entry,
            openedAt: status.openedAt, timers: machine?.timers ?? [],
            deferred: snapshot.waiting.count, accepts: machine?.accepts ?? [], storage: nil,
            notes: status.notes, clock: flow.presentation.states[place.state]?.clock,
            isStuck: false, join: nil, at: change.at)
    }
}
