public import GameFlow
public import Timers

/// One named machine, its numbers, and who watches it.
public final class Session: MachineObserver {
    public let name: SessionName
    public let openedAt: Instant
    unowned let sessions: Sessions
    /// How many changes there were; the opening is the first.
    public private(set) var seq = 0
    public private(set) var last: Change?
    var watchers = WatcherList()
    private var held: AnyMachine?
    /// What the event in hand led to; the first change since it was cleared.
    private var outcome: Change?

    init(_ name: SessionName, _ flow: AnyFlow, in sessions: Sessions) {
        self.name = name
        self.sessions = sessions
        openedAt = sessions.now
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

    /// Gives a change its numbers, keeps it, and tells whoever watches.
    @discardableResult func note(
        _ kind: Change.Kind, _ event: Happening? = nil, from source: Source, _ from: Place?,
        _ to: Place?, effects: [RequestedEffect] = [], reason: String? = nil,
        timer: TimerOperation? = nil
    ) -> Change {
        seq += 1
        let sessions = sessions
        let change = Change(
            name, seq: seq, pos: sessions.nextPos, previous: last?.pos ?? 0, at: sessions.now,
            kind: kind, event: event, source: source, from: from, to: to, effects: effects,
            reason: reason, timer: timer)
        last = change
        if outcome == nil { outcome = change }
        sessions.keep(change, of: self)
        return change
    }

    // MARK: MachineObserver

    public func did(_ step: Step) {
        if step.isBeat { return beat(step) }
        note(
            Change.Kind(step.kind), step.event, from: step.source, step.from, step.to,
            effects: step.effects, reason: step.kind == .goto ? sessions.reason : nil)
    }

    /// A beat has no number: as an answer it shows the numbers as they stand.
    private func beat(_ step: Step) {
        let change = Change(
            name, seq: seq, pos: sessions.nextPos - 1, previous: last?.pos ?? 0, at: sessions.now,
            kind: .keep, event: step.event, source: step.source, from: step.from, to: step.to)
        if outcome == nil, step.source !== Source.timer { outcome = change }
        sessions.tell(.beats, of: self) {
            Notice("beat") { $0.beat(change, missed: step.missed, of: self) }
        }
    }

    public func refused(_ event: Happening, _ source: Source, _ refusal: Refusal) {
        sessions.tellRefused(event, source, sessions.explain(refusal, event.name, self), of: self)
    }
}

extension Change.Kind {
    init(_ kind: Step.Kind) {
        switch kind {
        case .open: self = .open
        case .enter: self = .enter
        case .keep: self = .keep
        case .defer: self = .defer
        case .drop: self = .drop
        case .goto: self = .goto
        }
    }
}
