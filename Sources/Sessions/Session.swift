public import GameFlow
public import Timers

/// One named machine, with its numbers.
public final class Session: MachineObserver {
    public let name: SessionName
    public let openedAt: Instant
    /// The sessions that this one belongs to, and which outlive it: it is never handed out for longer than a call.
    unowned(unsafe) let sessions: Sessions
    /// How many changes there were; the opening is the first.
    public private(set) var seq = 0
    public private(set) var last: Change?
    /// The `pos` of the change that entered the present state; 0 before the opening.
    public var entry: Int { last?.entry ?? 0 }
    /// The newest change of a session that is open: there is always one.
    var lastChange: Change { last! }  // the opening is a change
    /// The number of its newest refusal; 0 before the first.
    var lastRefusal = 0
    /// The session's newest row, and its newest durable row; empty without a store.
    var written = Standing()
    var kept: Standing?
    private var present: AnyMachine?

    init(
        _ name: SessionName, _ flow: AnyFlow, in sessions: Sessions, openedAt: Instant? = nil
    ) {
        self.name = name
        self.sessions = sessions
        self.openedAt = openedAt ?? sessions.now
        present = flow.machine(on: sessions.timerQueue, sessions.queue, observer: self)
    }

    public var machine: AnyMachine { present! }  // set in init, because it needs the session as its observer
    public var flow: AnyFlow { machine.flow }

    /// Makes a step the session's next change.
    func number(_ step: consuming Step, order: Change.Order? = nil) -> Change {
        let pos = sessions.nextPos
        seq += 1
        let change = Change(
            name, seq: seq, pos: pos, entry: step.kind.isEntry ? pos : entry,
            previous: last?.pos ?? 0, at: sessions.now, step, order: order)
        last = change
        return change
    }

    /// Goes on behind the row that it was restored from.
    func restore(_ standing: Standing) {
        (written, kept, last) = (standing, standing, standing.change)
        seq = standing.change?.seq ?? 0
    }

    /// The timers are as they were set now, and not as in the row.
    func standAsRestored() {
        written.snapshot = machine.snapshot
        kept = written
    }

    /// A beat has gone by that will not be taken back.
    func rememberBeat() {
        // Virtual time itself may be taken back, and the beat with it.
        guard !sessions.isVirtual else { return }
        if written.mark == kept?.mark { return standAsRestored() }
        // It is told with the row before it, and stays when that does.
        written.snapshot = machine.snapshot
        sessions.remember(written, of: self)
    }

    /// Goes back to what is durable: a new machine, whose timers are still to be set.
    func rewind() throws(Reason) -> [RestoredTimer] {
        guard let kept, let snapshot = kept.snapshot else { throw .unknownState }
        let flow = flow
        machine.end()
        present = flow.machine(on: sessions.timerQueue, sessions.queue, observer: self)
        restore(kept)
        return try machine.restore(
            snapshot, after: Downtime(undoing: sessions.isVirtual))
    }

    // MARK: MachineObserver

    public func did(_ step: consuming Step) {
        let step = step
        guard step.isBeat else { return sessions.log.events.append(.did(self, step)) }
        let timers = sessions.wants(.beats, of: name) ? machine.liveTimers : []
        sessions.log.events.append(.beat(self, step, timers))
    }

    public func due(_ tag: UInt8, missed: Int, of machine: AnyMachine) {
        sessions.fire(tag, missed: missed, of: self)
    }

    public func refused(_ event: Happening, _ source: Source, _ refusal: Reason) {
        let error = sessions.explain(refusal, event.name, self, source)
        sessions.log.events.append(.refused(self, event, source, error))
    }
}
