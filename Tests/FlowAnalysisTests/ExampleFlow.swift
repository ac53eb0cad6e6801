import GameFlow
import Timers

/// A small flow without defects, whose tables a test can change: each test adds one defect and expects its finding.
struct ExampleFlow: ValueFlow {
    var name: String { "bench" }
    var initial: StateName { .a }
    var finals: [StateName] { [.end] }

    enum StateName: String, CaseIterable { case a, b, c, end }
    typealias State = StateName

    enum Event: FlowEvent {
        typealias Effect = ExampleFlow.Effect
        case go, leap, stop, back, call
        case due(Signal)

        var name: String { if case .due(let signal) = self { "\(signal)" } else { "\(self)" } }
    }

    /// The raw values have gaps, so that they differ from the indices of the signals.
    enum Signal: UInt8, CaseIterable {
        case over = 2
        case beat = 7
    }
    enum Effect: String, FlowEffect { case light, dark }

    enum Answer {
        case enter(State, Effect?)
        case keep(Effect?)
        case wait

        static func enter(_ state: State) -> Answer { .enter(state, nil) }
    }

    /// The selector's answers, by the names of the state and the event: `"a go"`. The selector refuses any other pair.
    var rows: [String: Answer] = [
        "a go": .enter(.b), "a leap": .enter(.c), "a call": .keep(.light), "c back": .enter(.a),
        "b back": .enter(.a), "b stop": .enter(.end), "b over": .enter(.a), "b beat": .keep(nil),
    ]

    var timersByState: [State: [TimerDeclaration<Signal>]] = [
        .b: [.countdown(.seconds(10), sends: .over), .pendulum(.seconds(1), sends: .beat)]
    ]

    var events: [EventSchema<Event>] {
        [
            EventSchema(.go), EventSchema(.leap), EventSchema(.stop), EventSchema(.back),
            EventSchema(.call),
        ]
    }

    func select(_ state: State, _ event: Event) throws(Reason) -> Transition<ExampleFlow> {
        switch rows["\(state) \(event.name)"] {
        case .enter(let next, let effect): enter(effect, next)
        case .keep(let effect): keep(effect)
        case .wait: .deferred
        case nil: throw .noTransition
        }
    }

    func timers(_ state: State) -> [TimerDeclaration<Signal>] { timersByState[state] ?? [] }
    func describe(_ state: State) -> StateDescription<StateName> { StateDescription(state) }

    func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<ExampleFlow> {
        enter(name)
    }

    /// Returns the flow after a change, which usually adds a defect.
    static func with(_ change: (inout ExampleFlow) -> Void) -> AnyFlow {
        var flow = ExampleFlow()
        change(&flow)
        return AnyFlow(flow)
    }
}

/// A flow with an unbounded counter.
struct Counter: ValueFlow {
    var name: String { "counter" }
    var initial: StateName { .counting }

    enum StateName: String, CaseIterable { case counting, never }
    enum State {
        case counting(Int)
        case never
    }
    enum Event: FlowEvent {
        case count
        case due(Signal)
    }
    enum Signal: UInt8, CaseIterable { case never }

    var events: [EventSchema<Event>] { [EventSchema(.count)] }

    func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Counter> {
        guard case (.counting(let number), .count) = (state, event) else { throw .noTransition }
        return keep(nil, .counting(number + 1))
    }

    func describe(_ state: State) -> StateDescription<StateName> {
        switch state {
        case .counting(let number): StateDescription(.counting, [Member("number", number)])
        case .never: StateDescription(.never)
        }
    }

    func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<Counter> {
        switch name {
        case .counting: enter(.counting(try data.optional("number") ?? 0))
        case .never: enter(.never)
        }
    }
}

/// A run of 90 s that a rest can interrupt. After the rest, `clock` continues with the time that was left, and a second countdown
/// begins again with 61 s. The run is won if `clock` fires first, which happens only if the rest came after more than 29 s.
struct Sprint: Flow {
    var name: String { "sprint" }
    var initial: StateName { .running }
    var finals: [StateName] { [.won, .lost] }

    enum StateName: String, CaseIterable { case running, resting, won, lost }
    enum State {
        case running(clock: Countdown, Countdown)
        case resting(left: Duration)
        case won, lost
    }
    enum Event: FlowEvent {
        case rest, run
        case due(Signal)
    }
    enum Signal: UInt8, CaseIterable { case arrived, tooLong }

    var events: [EventSchema<Event>] { [EventSchema(.rest), EventSchema(.run)] }

    func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Sprint> {
        switch (state, event) {
        case (.running, .due(.arrived)): return enter { _ in .won }
        case (.running, .due(.tooLong)): return enter { _ in .lost }
        case (.running(let clock, _), .rest):
            let left = clock.remaining
            return enter { _ in .resting(left: left.roundedUp) }
        case (.resting(let left), .run): return run(left)
        default: throw .noTransition
        }
    }

    private func run(_ left: Duration) -> Transition<Sprint> {
        enter {
            .running(
                clock: $0.countdown(.seconds(90), remaining: left, .arrived),
                $0.countdown(.seconds(61), .tooLong))
        }
    }

    func describe(_ state: State) -> StateDescription<StateName> {
        switch state {
        case .running: StateDescription(.running)
        case .resting(let left): StateDescription(.resting, [Member("left", left.value)])
        case .won: StateDescription(.won)
        case .lost: StateDescription(.lost)
        }
    }

    func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<Sprint> {
        switch name {
        case .running: return run(.seconds(90))
        case .resting:
            // The analyses enter this state with the sample: all 90 s are left.
            let left: Duration = try data("left", samples: [.seconds(90)])
            return enter { _ in .resting(left: left) }
        case .won: return enter { _ in .won }
        case .lost: return enter { _ in .lost }
        }
    }
}
