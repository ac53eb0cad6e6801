public import GameFlow
public import Timers

/// One named machine, its numbers, and who watches it.
public final class Session: MachineObserver {
    public let name: SessionName
    public let openedAt: Instant
    /// Where it belongs, and which outlives it: it is never handed out for longer than a call.
    unowned(unsafe) let sessions: Sessions
    /// How many changes there were; the opening is the first.
    public private(set) var seq = 0
    public private(set) var last: Change?
    /// The number of its newest refusal; 0 before the first.
    var lastRefusal = 0
    var watchers = WatcherList()
    /// The session as it was written down last, and as it is on the disk; nothing where nobody writes.
    var written = Standing()
    var kept: Standing?
    private var held: AnyMachine?
    /// What the event in hand led to; the first change since it was cleared.
    private var outcome: Change?

    init(
        _ name: SessionName, _ flow: AnyFlow, in sessions: Sessions, openedAt: Instant? = nil
    ) {
        self.name = name
        self.sessions = sessions
        self.openedAt = openedAt ?? sessions.now
        held = flow.machine(on: sessions.timerQueue, sessions.queue, observer: self)
    }

    public var machine: AnyMachine { held! }  // set in init, for it needs the session to observe
    public var flow: AnyFlow { machine.flow }

    // MARK: what is done to it

    /// Runs what makes the session take something, and says what that was.
    func record(_ work: () throws(Reason) -> Void) throws(Reason) -> Change {
        outcome = nil
        do throws(Reason) { try work() } catch {
            sessions.recordRest(of: self)
            throw error
        }
        guard let outcome = exchange(&self.outcome, with: nil) else {
            preconditionFailure("what is taken is told")
        }
        sessions.recordRest(of: self, answer: outcome.step.isBeat ? outcome : nil)
        return outcome
    }

    /// Gives a step its numbers, keeps it as a change, and tells whoever watches.
    func note(_ step: consuming Step, order: Change.Order? = nil) {
        let sessions = sessions
        seq += 1
        let change = Change(
            name, seq: seq, pos: sessions.nextPos, previous: last?.pos ?? 0, at: sessions.moment,
            step, order: order)
        last = change
        if outcome == nil { outcome = change }
        sessions.keep(change, of: self)
    }

    /// Goes on behind what was written down.
    func restore(_ standing: Standing) {
        (written, kept, last) = (standing, standing, standing.change)
        seq = standing.change?.seq ?? 0
    }

    /// The timers stand where they were put now, and not where they were written down.
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

    /// Goes back to what is on the disk: a new machine, whose timers are still to be set.
    func rewind() throws(Reason) -> [RestoredTimer] {
        guard let kept, let snapshot = kept.snapshot else { throw .unknownState }
        let flow = flow
        machine.end()
        held = flow.machine(on: sessions.timerQueue, sessions.queue, observer: self)
        restore(kept)
        return try machine.restore(
            snapshot, after: Downtime(undoing: sessions.isVirtual))
    }

    // MARK: MachineObserver

    public func did(_ step: consuming Step) {
        if step.isBeat { return beat(step) }
        switch step.kind {
        case .goto: note(step, order: .override(reason: sessions.reason))
        case .drop: note(step, order: .override(reason: step.why?.name))
        case .open, .enter, .keep, .defer, .timer, .close: note(step)
        }
    }

    /// A beat has no number: as an answer it shows those of the session's last change.
    private func beat(_ step: Step) {
        sessions.tell(.beats, of: self) {
            Notice("beat") { $0.beat(step, of: self, at: sessions.moment) }
        }
        if outcome == nil, step.source !== Source.timer {
            outcome = Change(
                name, seq: seq, pos: last?.pos ?? 0, previous: 0, at: sessions.moment, step)
        }
    }

    public func fired(_ signal: String) {
        sessions.recordRest(of: self, fired: signal)
        sessions.endCall()
    }

    public func refused(_ event: Happening, _ source: Source, _ refusal: Reason) {
        let error = sessions.explain(refusal, event.name, self, source)
        sessions.keepRefused(event, source, error, of: self)
    }
}
