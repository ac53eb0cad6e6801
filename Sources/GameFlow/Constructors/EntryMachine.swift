public import Timers

/// What an event does in a machine without a flow type whose states contain their timers.
public struct PlainTransition<State> {
    enum Kind {
        case enter(State)
        case keep(State?)
    }
    let kind: Kind

    /// Enters a state, perhaps the present state again. The timers of the state before end.
    public static func enter(_ state: State) -> PlainTransition {
        PlainTransition(kind: .enter(state))
    }

    /// Stays in the state: its timers run on, and nothing else changes.
    public static var keep: PlainTransition { PlainTransition(kind: .keep(nil)) }

    /// Stays in the state with other data: its timers run on. The new value must be of the same case.
    public static func keep(_ state: State) -> PlainTransition {
        PlainTransition(kind: .keep(state))
    }
}

/// The entry into a state that is being made, in a machine without a flow type. It sets the timers of the state.
public final class PlainEntry<State, Event> {
    private let machine: StateMachine<State, Event>
    /// The events of the timers that were set, by the timers' tags.
    fileprivate var events: [Event] = []

    /// The greatest number of timers of a state.
    public static var limit: Int { Int(UInt8.max) + 1 }

    fileprivate init(_ machine: StateMachine<State, Event>) { self.machine = machine }

    /// Sets a timer of the state that sends an event once, after `time`; with `remaining`, earlier. A negative time counts as zero.
    /// If the state has `limit` timers, the timer has ended.
    public func countdown(
        _ time: Duration, remaining: Duration? = nil, sends event: Event
    ) -> Countdown {
        set(event) { [machine] tag, group in
            machine.timerQueue.setCountdown(
                time, remaining: remaining, tag: tag, in: &group, for: machine)
        }
    }

    /// Sets a timer of the state that sends an event each `period`, at least each millisecond. If the state has `limit` timers, the
    /// timer has ended.
    public func pendulum(_ period: Duration, sends event: Event) -> Pendulum {
        set(event) { [machine] tag, group in
            machine.timerQueue.setPendulum(period, tag: tag, in: &group, for: machine)
        }
    }

    private func set<Handle>(_ event: Event, _ set: (UInt8, inout TimerGroup) -> Handle) -> Handle {
        guard let tag = UInt8(exactly: events.count) else {
            return machine.setEndedTimer { set(0, &$0) }
        }
        events.append(event)
        return machine.setEntryTimer { set(tag, &$0) }
    }
}

extension StateMachine {
    /// Creates a machine from a throwing transition selector, whose states can contain their timers:
    ///
    ///     let game = StateMachine<GameState, GameEvent>(initial: { _ in .introduction }) { state, event, entry throws(Reason) in
    ///         switch (state, event) {
    ///         case (.choosingLevel(let episode), .chooseLevel(let level)):
    ///             .enter(.playingLevel(episode, level, entry.countdown(.seconds(90), sends: .timeUp)))
    ///         default: throw .noTransition
    ///         }
    ///     }
    ///
    /// The timers that `entry` sets end when the state is left. They are not set if the selector throws, or keeps the state. The
    /// selector must have no other effects: `can` also calls it. If `clock` is nil, the machine creates and retains a `TaskClock`,
    /// whose timers fire on the actor `isolation`: by default the caller's.
    public convenience init(
        initial: @escaping (PlainEntry<State, Event>) -> State, on clock: (any TimerClock)? = nil,
        hooks: [Hook<State, Event>] = [], validators: [Validator<State, Event>] = [],
        unhandled: UnhandledEventPolicy = .throw, isolation: isolated (any Actor)? = #isolation,
        select:
            @escaping (State, Event, PlainEntry<State, Event>) throws(Reason) -> PlainTransition<
                State
            >
    ) {
        self.init(
            Engine(initial: initial, select: select), on: clock ?? TaskClock(isolation: isolation),
            hooks: hooks, validators: validators, unhandled: unhandled)
    }
}

extension Engine {
    /// Creates the engine of a machine whose selector sets the timers of the states.
    fileprivate convenience init(
        initial: @escaping (PlainEntry<State, Event>) -> State,
        select:
            @escaping (State, Event, PlainEntry<State, Event>) throws(Reason) -> PlainTransition<
                State
            >
    ) {
        self.init(
            start: { machine throws(Reason) in
                let entry = PlainEntry(machine)
                let state = try machine.makingEntry { initial(entry) }
                try machine.enterPlain(state, .open, timerEvents: entry.events)
            },
            take: { machine, event, context throws(Reason) in
                let entry = PlainEntry(machine)
                let transition: PlainTransition<State>
                do throws(Reason) {
                    transition = try machine.makingEntry { () throws(Reason) in
                        try select(machine.current!, event, entry)
                    }
                } catch {
                    machine.abandonEntry()
                    guard machine.ignores(error, event, context) else { throw error }
                    return
                }
                switch transition.kind {
                case .enter(let next):
                    try machine.enterPlain(
                        next, .enter, event, context, timerEvents: entry.events)
                case .keep(let next):
                    machine.abandonEntry()
                    if let next { try machine.checkKeptCase(next) }
                    try machine.keepAndReport(next, event, context, [])
                }
            },
            enterState: { machine, state throws(Reason) in
                try machine.enterPlain(state, .goto)
            },
            check: { machine, event throws(Reason) in
                try machine.discardingEntry { () throws(Reason) in
                    let from = machine.current!
                    let transition = try machine.makingEntry { () throws(Reason) in
                        try select(from, event, PlainEntry(machine))
                    }
                    switch transition.kind {
                    case .enter(let next): try machine.typedFeatures?.validate(from, event, next)
                    case .keep(let next?):
                        try machine.checkKeptCase(next)
                        try machine.typedFeatures?.validate(from, event, next)
                    // A step that changes nothing is not checked.
                    case .keep(nil): break
                    }
                }
            },
            signalEvent: { machine, tag in machine.declaredEvent(tag) })
    }
}

extension StateMachine {
    /// Throws if a state that is kept is another case of an enum: the timers of the old case would run on in the new one.
    fileprivate func checkKeptCase(_ next: State) throws(Reason) {
        guard Mirror(reflecting: next).displayStyle == .enum else { return }
        let (from, to) = (CaseReflection(current!).name, CaseReflection(next).name)
        guard from == to else { throw .invalid("state", "\(from) is kept as \(to)") }
    }
}
