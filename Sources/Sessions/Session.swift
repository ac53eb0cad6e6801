public import GameFlow
internal import Support
public import Timers

/// A named machine with the numbers of its changes.
public final class Session: MachineObserver {
    public let name: SessionName
    public let openedAt: Instant
    /// The owner. The reference is safe without counting: between calls only the owner refers to a session, so no
    /// session outlives its owner.
    unowned(unsafe) let sessions: Sessions
    /// The newest change. `@exclusivity(unchecked)` omits the run-time check for overlapping accesses, which would take too much
    /// time; `Sessions` explains why that is safe.
    @exclusivity(unchecked) var newest = NewestChange.none
    /// When the session entered the present state. Nil before the opening, and if a journal of an older format does not record
    /// it.
    public var enteredAt: Instant? {
        get { enteredAtNs < 0 ? nil : Instant(nanoseconds: enteredAtNs) }
        set { enteredAtNs = newValue?.nanoseconds ?? -1 }
    }
    /// `enteredAt` in nanoseconds; -1 for nil. An optional would take twice the memory in each of a million sessions.
    @exclusivity(unchecked) private var enteredAtNs: Int64 = -1
    /// The same change as `last`, but not optional; must not be read before the opening. Read it for a change that was just made.
    var lastChange: Change {
        // The opening is a change, so `last` is not nil after it.
        last!
    }

    /// The session's stay in its state, as far as it is durable. `SessionStays` keeps it.
    @exclusivity(unchecked) var stay = Stay()

    /// Values that only a session with a store or with refusals has; nil for any other session. These values have an object of
    /// their own, because a daemon may have a million sessions, and a nil reference takes only eight bytes.
    @exclusivity(unchecked) private var extras: SessionExtras?
    /// The number of the session's newest refusal; 0 before the first.
    var lastRefusal: Int {
        get { extras?.lastRefusal ?? 0 }
        set { if newValue != lastRefusal { ensuredExtras.lastRefusal = newValue } }
    }
    /// The number of refusals that were left out of the journal since the session's newest recorded refusal.
    var unrecordedRefusals: Int {
        get { extras?.unrecordedRefusals ?? 0 }
        set { if newValue != unrecordedRefusals { ensuredExtras.unrecordedRefusals = newValue } }
    }
    /// The number of firings without time between them that have led to the present state; see `isRefused`.
    var instantFirings: Int16 {
        get { extras?.instantFirings ?? 0 }
        set { if newValue != instantFirings { ensuredExtras.instantFirings = newValue } }
    }
    /// The checkpoint of the session's newest row; empty if it has none.
    var newestCheckpoint: Checkpoint {
        get { extras?.newestCheckpoint ?? Checkpoint() }
        set { ensuredExtras.newestCheckpoint = newValue }
    }
    /// The checkpoint of the session's newest durable row; nil if no row of the session is durable.
    var durableCheckpoint: Checkpoint? {
        get { extras?.durableCheckpoint }
        set { ensuredExtras.durableCheckpoint = newValue }
    }
    /// The `pos` of the change up to which nothing can be undone, because the session was restored after it; 0 if it was not
    /// restored.
    var undoFloor: Int { extras?.undoFloor ?? 0 }
    /// Whether the session was restored since its opening.
    package var isRestored: Bool { undoFloor > 0 }
    /// The labels and the message of the session, and what it was opened with; nil if there is nothing to store.
    @exclusivity(unchecked) private(set) var notes: SessionNotes?
    /// Replaces the labels, the message and what the session was opened with.
    func setNotes(_ new: SessionNotes) { notes = new.isEmpty ? nil : new }
    /// What the session was opened with.
    public var opening: SessionNotes.Opening {
        notes?.opening ?? SessionNotes.Opening(labels: labels, settings: flow.changedSettings)
    }

    /// The settings with which the session was opened, for another opening with `newest`, the newest version of its flow.
    /// Settings that this version lacks are left out, and so are all settings of another flow.
    public func settingsOfOpening(for newest: AnyFlow) -> [Member] {
        guard newest.name == flow.name else { return [] }
        return opening.settings.filter { setting in
            newest.settings.contains { $0.name == setting.name }
        }
    }
    public var labels: [Member] { notes?.labels ?? [] }
    /// The newest message to the session's screens. Its time may be over.
    package var message: ScreenMessage? { notes?.message }
    /// The session's machine, or nil while `init` creates it.
    private var storedMachine: AnyMachine? {
        didSet {
            guard let old = oldValue?.flow, old !== flow else { return }
            sessions.index.flowChanged(of: self, from: old)
        }
    }

    init(
        _ name: SessionName, _ flow: AnyFlow, in sessions: Sessions, openedAt: Instant? = nil
    ) {
        self.name = name
        self.sessions = sessions
        self.openedAt = openedAt ?? sessions.now
        storedMachine = flow.machine(on: sessions.timerQueue, sessions.queue, observer: self)
    }

    deinit { leaveState() }

    /// The session's machine. `storedMachine` is optional only because a machine can be created only after its observer, the
    /// session.
    public var machine: AnyMachine { storedMachine! }
    public var flow: AnyFlow { machine.flow }

    /// The name of the present state. Unlike `machine.place`, it keeps nothing in memory.
    package var stateName: String {
        if case .recent(let change) = newest, let place = change.step.to { return place.state }
        defer { machine.forgetPlace() }
        return machine.place.state
    }

    /// The number of running and paused timers.
    package var timerCount: Int { machine.timerCount }

    /// The extras, which are created if necessary.
    private var ensuredExtras: SessionExtras {
        if let extras { return extras }
        let new = SessionExtras()
        extras = new
        return new
    }

    /// Returns the change that a step makes, with its numbers. The change becomes the session's newest change. `undone` is the
    /// oldest step that an undo takes back; nil for any other step.
    private func numberedChange(
        _ step: consuming Step, in sessions: Sessions, undoing undone: UndoStep? = nil
    ) -> Change {
        let (pos, details) = (sessions.nextPos, sessions.transcript.details(of: step))
        let isEntry = step.kind.isEntry
        let now = sessions.now
        // Most sessions show no message, and most steps send none.
        let message =
            notes == nil && !ScreenMessage.isSent(by: step) && undone?.before.notes == nil
            ? nil : updateMessage(step, at: now, undoing: undone, in: sessions)
        if case .recent(let last) = newest { last.isNewest = false }
        let change = Change(
            name, seq: seq + 1, pos: pos, entry: isEntry ? pos : entry, previous: lastPos, at: now,
            step, details: details, message: message, view: flow.clientView)
        newest = .recent(change)
        if isEntry { enteredAt = now }
        return change
    }

    /// Whether the newest words of an operator, since the change with the number `seq`, removed the message.
    private func isMessageRemoved(since seq: Int, in sessions: Sessions) -> Bool {
        var each = last
        while let change = each, change.seq >= seq {
            if let said = change.details?.value as? Change.Said { return said.text.isEmpty }
            each = sessions.ring[change.previous]
        }
        return false
    }

    /// Ends and shows messages as the next change of the session requires. Returns the difference for the clients; nil if the
    /// screens show the same as before.
    private func updateMessage(
        _ step: borrowing Step, at now: Instant, undoing undone: UndoStep?, in sessions: Sessions
    ) -> Change.MessageUpdate? {
        let old = message
        let new =
            if let undone {
                ScreenMessage.afterUndo(
                    of: undone.first.seq, undone.before.notes?.message, old,
                    isRemoved: isMessageRemoved(since: undone.first.seq, in: sessions),
                    entering: step.to?.state ?? "", initial: flow.initial)
            } else {
                ScreenMessage.after(step, old, initial: flow.initial, seq: seq + 1, at: now)
            }
        guard new != old else { return nil }
        setNotes(SessionNotes(labels: labels, message: new, opening: notes?.opening))
        let wasShown = old?.isShown(at: now) ?? false
        guard let new else { return wasShown ? .ended : nil }
        return new.isShown(at: now) ? .shown(new) : (wasShown ? .ended : nil)
    }

    /// Describes a step that gets no number, such as a beat, as a `Change` with the numbers of the session's newest change.
    func unnumberedChange(_ step: consuming Step, details: Change.Details? = nil) -> Change {
        Change(
            name, seq: seq, pos: lastPos, entry: entry, previous: 0, at: sessions.now, step,
            details: details, view: flow.clientView)
    }

    // MARK: restoring

    /// Restores the session from a record into its machine, which must be new. Adds the session's timers to `timers`; the caller
    /// sets them. `downtime` says when the timers did not run.
    func restore(
        _ record: borrowing SessionRecord, _ checkpoint: Checkpoint, _ snapshot: MachineRecord,
        _ downtime: Downtime, adding timers: inout [RestoredTimer]
    ) throws(RestoreError) {
        do throws(Reason) {
            try machine.restore(snapshot, after: downtime, adding: &timers)
        } catch {
            throw RestoreError(why: Sessions.sentence(error, about: snapshot.place))
        }
        newest = record.change(view: flow.clientView).map { .recent($0) } ?? .none
        notes = record.status?.notes
        enteredAt = record.status?.enteredAt
        var checkpoint = checkpoint
        if let durableCheckpoint { checkpoint.firstRow = durableCheckpoint.firstRow }
        (newestCheckpoint, durableCheckpoint) = (checkpoint, checkpoint)
        ensuredExtras.undoFloor = record.pos
    }

    /// Takes over the newest change and the limit of undo from `earlier`, the same session before it was restored.
    func continueHistory(of earlier: Session) {
        guard case .recent(let change) = earlier.newest, change.pos == lastPos else { return }
        newest = .recent(change)
        ensuredExtras.undoFloor = earlier.undoFloor
    }

    /// Ends the machine, because its present state is not durable. Until the session is restored, clients see `before`, the
    /// state before the first call that the store has not recorded.
    func suspend(showing before: SessionState) {
        machine.end()
        newest = before.change.map { .recent($0) } ?? .none
        (lastRefusal, notes) = (before.lastRefusal, before.notes)
        enteredAt = before.enteredAt
        if let durableCheckpoint { newestCheckpoint = durableCheckpoint }
    }

    /// Restores a suspended session from the record of its newest durable row with a new machine.
    func resume(
        _ record: SessionRecord, _ checkpoint: Checkpoint, _ downtime: Downtime,
        adding timers: inout [RestoredTimer]
    ) throws(RestoreError) {
        guard let status = record.status, let snapshot = status.machine else {
            throw RestoreError(why: "its last rows are missing")
        }
        // If the session had just moved to another version of the flow and the move was lost, the row names the
        // version before the move.
        let flow = try sessions.catalog.flow(of: status)
        storedMachine = flow.machine(on: sessions.timerQueue, sessions.queue, observer: self)
        try restore(record, checkpoint, snapshot, downtime, adding: &timers)
    }

    /// Replaces the machine by a machine of `flow`, another version of the session's flow. The new machine continues from
    /// `snapshot`: countdowns with their remaining times, pendulums with their deadlines. If this function throws, nothing has
    /// changed.
    func replaceMachine(_ flow: AnyFlow, _ snapshot: MachineRecord) throws(Reason) {
        let machine = try flow.machine(
            continuing: snapshot, on: sessions.timerQueue, sessions.queue, observer: self,
            pendulums: MachineState(self.machine, at: sessions.now).pendulums)
        storedMachine?.end()
        storedMachine = machine
    }

    /// Replaces the machine by a machine that continues from the situation before a step. If this function throws, nothing has
    /// changed.
    func undo(_ step: UndoStep, _ clocks: UndoClocks) throws(Reason) {
        let before = step.before.machine
        let machine = try flow.machine(
            continuing: before.snapshot(at: sessions.now, clocks), on: sessions.timerQueue,
            sessions.queue, observer: self, snapshotAt: clocks == .run ? before.at : nil)
        storedMachine?.end()
        storedMachine = machine
    }

    /// Replaces the machine by a machine whose timers continue after `downtime`. Adds the timers to `timers`; the caller sets
    /// them. If the flow does not accept its own state, the machine stays, and its timers keep their deadlines.
    func restartTimers(_ downtime: Downtime, adding timers: inout [RestoredTimer]) {
        guard !machine.liveTimers.isEmpty else { return }
        let next = flow.machine(on: sessions.timerQueue, sessions.queue, observer: self)
        do throws(Reason) {
            try next.restore(machine.snapshot, after: downtime, adding: &timers)
        } catch { return }
        storedMachine?.end()
        storedMachine = next
    }

    /// Completes an undo. `undone` is the oldest step that it takes back.
    func completed(_ step: consuming Step, undoing undone: UndoStep) {
        let change = numberedChange(step, in: sessions, undoing: undone)
        sessions.transcript.append(.changed(self, change))
    }

    // MARK: MachineObserver

    public func completed(_ step: consuming Step) {
        let sessions = sessions
        guard step.isBeat else {
            let change = numberedChange(step, in: sessions)
            return sessions.transcript.append(.changed(self, change))
        }
        let timers = sessions.hasWatcher(.beats, of: name) ? machine.liveTimers : []
        let last = last
        let beat = unnumberedChange(step)
        sessions.transcript.append(.beat(self, beat, after: last, timers))
    }

    public func due(_ firing: Firing, of machine: AnyMachine) {
        sessions.fire(firing, of: self)
    }

    public func refused(_ event: EventRecord, _ source: Source, _ refusal: Reason) {
        if refusal.code == .tooManyPosts, !sessions.isFirstBeyondStepLimit(self) { return }
        let error = sessions.explain(refusal, event.name, self, source)
        sessions.transcript.append(
            .refused(self, RefusedEvent(event, from: source, error, of: self)))
    }
}
