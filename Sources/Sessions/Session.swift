public import GameFlow
internal import Support
public import Timers

/// A named machine with the numbers of its changes.
public final class Session: MachineObserver {
    public let name: SessionName
    public let openedAt: Instant
    /// The owner, which outlives the session: a session is never passed out for longer than a call.
    unowned(unsafe) let sessions: Sessions
    /// The number of the session's changes; the opening is the first.
    public var seq: Int { last?.seq ?? 0 }
    @exclusivity(unchecked) public private(set) var last: Change?
    /// The `pos` of the change that entered the present state; 0 before the opening.
    public var entry: Int { last?.entry ?? 0 }
    /// The newest change of an open session; there is always one.
    var lastChange: Change {
        // The opening is a change, so `last` is not nil.
        last!
    }

    /// Values that few of a million sessions have; a nil reference costs eight bytes.
    private var extras: SessionExtras?
    /// The number of the session's newest refusal; 0 before the first.
    var lastRefusal: Int {
        get { extras?.lastRefusal ?? 0 }
        set { if newValue != lastRefusal { neededExtras.lastRefusal = newValue } }
    }
    /// The checkpoint of the session's newest row; empty without a store.
    var written: Checkpoint {
        get { extras?.written ?? Checkpoint() }
        set { neededExtras.written = newValue }
    }
    /// The checkpoint of the session's newest durable row; nil before the first one and without a store.
    var durable: Checkpoint? {
        get { extras?.durable }
        set { neededExtras.durable = newValue }
    }
    /// The labels and the message of the session; nil if it has none.
    @exclusivity(unchecked) var notes: SessionNotes?
    public var labels: [Member] { notes?.labels ?? [] }
    /// The message that the session's screens show; it may be over.
    public var said: SessionNotes.Said? { notes?.said }
    /// The steps that can be undone; nil if there are none.
    @exclusivity(unchecked) private(set) var undoStack: UndoStack?
    var neededUndoStack: UndoStack {
        if let undoStack { return undoStack }
        let made = UndoStack()
        undoStack = made
        return made
    }

    /// No step can be undone any more. The history of all sessions still refers to the stack, so it is emptied.
    func forgetUndo() {
        undoStack?.forgetAll()
        undoStack = nil
    }
    private var present: AnyMachine?

    init(
        _ name: SessionName, _ flow: AnyFlow, in sessions: Sessions, openedAt: Instant? = nil
    ) {
        self.name = name
        self.sessions = sessions
        self.openedAt = openedAt ?? sessions.now
        present = flow.machine(on: sessions.timerQueue, sessions.queue, observer: self)
    }

    /// The session's machine. The stored property is optional only because the machine needs the session as its
    /// observer.
    public var machine: AnyMachine { present! }
    public var flow: AnyFlow { machine.flow }

    private var neededExtras: SessionExtras {
        if let extras { return extras }
        let made = SessionExtras()
        extras = made
        return made
    }

    /// Makes a step the session's next change, with its numbers.
    private func number(_ step: consuming Step, in sessions: Sessions) -> Change {
        let (pos, order) = (sessions.nextPos, sessions.log.order(of: step))
        let change = Change(
            name, seq: seq + 1, pos: pos, entry: step.kind.isEntry ? pos : entry,
            previous: last?.pos ?? 0, at: sessions.now, step, order: order, hidden: flow.hidden)
        last = change
        if !change.step.effects.isEmpty { take(change.step.effects, of: change) }
        sessions.log.unapplied += 1
        return change
    }

    /// An effect `say` with an argument `text` shows a message, as the method of that name does.
    private func take(_ effects: [EffectRecord], of change: Change) {
        for effect in effects where effect.name == "say" {
            guard case .string(let text) = effect.arguments["text"] else { continue }
            let shown = String(text.unicodeScalars.prefix(NoteLimits.messageLength.upperBound))
            let said =
                text.isEmpty
                ? nil : SessionNotes.Said(text: shown, seq: change.seq, until: nil)
            let notes = SessionNotes(labels: labels, said: said)
            self.notes = notes.isEmpty ? nil : notes
        }
    }

    /// Returns a step that is not a change, as an answer, with the numbers of the session's last change.
    func unnumbered(_ step: consuming Step, order: Change.Order? = nil) -> Change {
        Change(
            name, seq: seq, pos: last?.pos ?? 0, entry: entry, previous: 0, at: sessions.now, step,
            order: order, hidden: flow.hidden)
    }

    // MARK: restoring

    /// Restores the session from a row into its new machine; the caller sets the timers.
    func restore(
        _ row: WrittenSession, _ snapshot: MachineSnapshot, _ pause: Downtime,
        adding timers: inout [RestoredTimer]
    ) throws(RestoreError) {
        do throws(Reason) {
            try machine.restore(snapshot, after: pause, adding: &timers)
        } catch {
            throw RestoreError(why: Sessions.sentence(error, about: snapshot.place))
        }
        last = row.record.change(hiding: flow.hidden)
        notes = row.record.status?.notes
        written = Checkpoint(
            mark: row.mark, state: row.record.position ?? row.mark.position,
            began: durable?.began ?? row.began, ids: row.record.status?.ids ?? 0)
        durable = written
    }

    /// Ends the machine, because its present state is not durable. Until it is restored, the session shows its
    /// earlier state.
    func freeze(_ before: PriorState) {
        machine.end()
        (last, lastRefusal, notes) = (before.change, before.lastRefusal, before.notes)
        if let durable { written = durable }
        // What was undone by the store's failure is not known step by step.
        forgetUndo()
    }

    /// Restores the session from its newest durable row with a new machine.
    func thaw(
        _ row: WrittenSession, _ pause: Downtime, adding timers: inout [RestoredTimer]
    ) throws(RestoreError) {
        guard let status = row.record.status, let snapshot = status.machine else {
            throw RestoreError(why: "its last rows are missing")
        }
        // A move to another version may have been undone.
        let flow = try sessions.catalog.flow(of: status)
        present = flow.machine(on: sessions.timerQueue, sessions.queue, observer: self)
        try restore(row, snapshot, pause, adding: &timers)
    }

    /// Replaces the machine by one that continues from a snapshot, with timers that run on from now. Pendulums go on as
    /// they do. If it throws, nothing has changed.
    func replaceMachine(_ flow: AnyFlow, _ snapshot: MachineSnapshot) throws(Reason) {
        let machine = try flow.machine(
            continuing: snapshot, on: sessions.timerQueue, sessions.queue, observer: self,
            pendulums: PriorState(self).pendulums)
        present?.end()
        present = machine
    }

    /// Takes the machine back to before a step. If it throws, nothing has changed.
    func undo(to point: UndoPoint) throws(Reason) {
        let machine = try flow.machine(
            continuing: point.snapshot(of: flow, at: sessions.now), on: sessions.timerQueue,
            sessions.queue, observer: self)
        present?.end()
        present = machine
    }

    // MARK: MachineObserver

    public func did(_ step: consuming Step) {
        let sessions = sessions
        guard step.isBeat else {
            return sessions.log.events.append(.changed(self, number(step, in: sessions)))
        }
        let timers = sessions.wants(.beats, of: name) ? machine.liveTimers : []
        let last = last
        sessions.log.events.append(.beat(self, unnumbered(step), after: last, timers))
    }

    public func due(_ firing: Firing, of machine: AnyMachine) {
        sessions.fire(firing, of: self)
    }

    public func refused(_ event: EventRecord, _ source: Source, _ refusal: Reason) {
        let error = sessions.explain(refusal, event.name, self, source)
        sessions.log.events.append(.refused(self, event, source, error, after: seq))
    }
}
