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
        held = flow.machine(on: sessions.agenda, sessions.queue, observer: self)
    }

    public var machine: AnyMachine { held! }  // set in init, for it needs the session to observe
    public var flow: AnyFlow { machine.flow }

    // MARK: what is done to it

    /// Runs what makes the session take something, and says what that was.
    func record(_ work: () throws(Refusal) -> Void) throws(Refusal) -> Change {
        outcome = nil
        try work()
        guard let outcome = exchange(&self.outcome, with: nil) else {
            preconditionFailure("what is taken is told")
        }
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

    /// Goes back to what is on the disk: a new machine, whose timers are still to be set.
    func rewind() throws(Refusal) -> [RestoredTimer] {
        guard let kept, let snapshot = kept.snapshot else { throw .unknownState }
        let flow = flow
        machine.end()
        held = flow.machine(on: sessions.agenda, sessions.queue, observer: self)
        restore(kept)
        return try machine.rewind(snapshot)
    }

    // MARK: MachineObserver

    public func did(_ step: consuming Step) {
        if step.isBeat { return beat(step) }
        switch step.kind {
        case .goto: note(step, order: .override(reason: sessions.reason))
        case .drop: note(step, order: .override(reason: machine.whyDropped?.name))
        case .open, .enter, .keep, .defer, .timer, .close: note(step)
        }
    }

    /// A beat has no number: as an answer it shows the numbers as they stand.
    private func beat(_ step: Step) {
        sessions.tell(.beats, of: self) {
            Notice("beat") { $0.beat(step, of: self, at: sessions.moment) }
        }
        if outcome == nil, step.source !== Source.timer {
            outcome = Change(
                name, seq: seq, pos: sessions.pos, previous: 0, at: sessions.moment, step)
        }
    }

    public func fired(_ signal: String) {
        defer { sessions.endCall() }
        // Whatever was told of it is written down; where nothing was, its end still has to be.
        guard let timers = written.snapshot?.timers, timers.contains(where: { $0.fires == signal }),
            machine.timer(signal) == nil
        else { return }
        sessions.recordFiring(signal, of: self)
    }

    public func refused(_ event: Happening, _ source: Source, _ refusal: Refusal) {
        let error = sessions.explain(refusal, event.name, self, source)
        sessions.keepRefused(event, source, error, of: self)
    }
}
