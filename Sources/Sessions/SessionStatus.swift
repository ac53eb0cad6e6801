public import GameFlow
public import Timers

/// A session as it was at one instant, as values.
public struct SessionStatus {
    public let name: SessionName
    public let flow: AnyFlow
    public let place: StateRecord
    public let isFinal: Bool
    public let seq: Int
    /// The `pos` of the change that entered the state.
    public let entry: Int
    public let openedAt: Instant
    public let timers: [LiveTimer]
    /// How many events wait for another state.
    public let deferred: Int
    /// The events that the state takes or defers with some arguments, in the flow's order.
    public let accepts: [String]
    /// Why the store cannot keep changes at present; nil while it can.
    public let storage: String?

    /// What a list shows of a session.
    public struct Line {
        public let name: SessionName
        public let flow: String
        public let state: String
        public let seq: Int
    }
}

/// Some sessions in the order of their names.
public struct SessionPage {
    public let sessions: [SessionStatus]
    /// Whether there are more behind them.
    public let more: Bool
}

extension Session {
    /// The session as it is now; while it is not restored after a failure of the store, as it was when it was durable.
    public var status: SessionStatus {
        if let before = sessions.recording.frozen[name] { return status(before) }
        return SessionStatus(
            name: name, flow: flow, place: machine.place, isFinal: machine.isFinal, seq: seq,
            entry: entry, openedAt: openedAt, timers: machine.liveTimers,
            deferred: machine.deferredCount, accepts: machine.accepts, storage: sessions.outage)
    }

    private func status(_ before: PriorState) -> SessionStatus {
        let snapshot = MachineSnapshot(place: before.place, timers: [], waiting: [])
        return SessionStatus(
            name: name, flow: flow, place: before.place,
            isFinal: flow.finals.contains(before.place.state), seq: seq, entry: entry,
            openedAt: openedAt, timers: before.timers, deferred: before.deferred,
            accepts: flow.describe(snapshot, at: sessions.now)?.accepts ?? [],
            storage: sessions.outage)
    }

    public var line: SessionStatus.Line {
        let place = sessions.recording.frozen[name]?.place ?? machine.place
        return SessionStatus.Line(name: name, flow: flow.name, state: place.state, seq: seq)
    }
}

extension SessionStatus {
    /// A session as a record has it, after a change.
    init(_ change: Change, _ status: SessionRecord.Status, _ flow: AnyFlow) {
        let place = change.step.to ?? change.step.from ?? StateRecord("")
        let snapshot = status.machine ?? MachineSnapshot(place: place, timers: [], waiting: [])
        let machine = flow.describe(snapshot, at: change.at)
        self.init(
            name: change.session, flow: flow, place: place,
            isFinal: flow.finals.contains(place.state),
            // A closing is answered with the session as it was.
            seq: change.kind == .close ? change.seq - 1 : change.seq, entry: change.entry,
            openedAt: status.openedAt, timers: machine?.timers ?? [],
            deferred: snapshot.waiting.count, accepts: machine?.accepts ?? [], storage: nil)
    }
}
