public import GameFlow
public import Testing
public import Timers

/// A machine without a flow type, for tests, on a clock that advances only when the test calls `after` or advances `clock`. A
/// failed expectation is recorded as an issue of Swift Testing, with the history of the machine.
///
///     let test = PlainMachineTest { clock in
///         StateMachine(initial: Screen.login, on: clock, reduce: next)
///     }
///     try test.send(Action.next)
///     test.expect(.createProfile)
///
/// `MachineTest` is for machines of a flow. A test belongs to one actor or task.
public final class PlainMachineTest<State, Event> {
    /// The machine, to which the test may also send events itself.
    public var machine: StateMachine<State, Event> { run.machine }
    /// The clock of the machine's timers.
    public var clock: VirtualClock { run.clock }
    private let run: TestRun<State, Event>
    /// The observation that adds the states to `history`; it would end if the token were released.
    private var token: ObservationToken?

    /// Creates the machine with `make`, on the clock that `make` is given.
    public init(_ make: (_ clock: VirtualClock) -> StateMachine<State, Event>) {
        let clock = VirtualClock()
        run = TestRun(make(clock), clock)
        token = machine.observe { [unowned run] old, new in
            run.record(old.map { "\($0) → \(new)" } ?? "\(new)")
        }
    }

    /// The calls of `send` and `after`, and the states that followed, one per line after the virtual time:
    /// `60.0 seconds  login → createProfile`.
    public var history: [String] { run.history }

    // MARK: events and time

    /// Sends an event and returns the state after it, or throws the refusal.
    @discardableResult public func send(_ event: Event) throws(Refusal<State, Event>) -> State {
        try run.send(event)
    }

    /// Advances the clock by `time`; every timer that is due by then fires.
    public func after(_ time: Duration, sourceLocation: SourceLocation = #_sourceLocation) {
        run.after(time, sourceLocation)
    }

    // MARK: expectations

    /// Expects the machine to be in a state for which `isExpected` returns true. `sentence` says which, for the issue.
    public func expect(
        _ sentence: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ isExpected: (State) -> Bool
    ) {
        let state = machine.state
        if !isExpected(state) { run.fail("expected \(sentence), found \(state)", sourceLocation) }
    }

    /// Expects the machine to refuse an event. If `reason` is given, the event must be refused for this reason.
    public func expectRefusal(
        _ event: Event, _ reason: Reason? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        run.expectRefusal(event, reason, sourceLocation)
    }

    /// Expects the state to have `count` running and paused timers.
    public func expectTimers(
        _ count: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let found = machine.timers.count
        if found != count { run.fail("expected \(count) timers, found \(found)", sourceLocation) }
    }
}

extension PlainMachineTest where State: Equatable {
    /// Expects the machine to be in `state`.
    public func expect(_ state: State, sourceLocation: SourceLocation = #_sourceLocation) {
        expect("\(state)", sourceLocation: sourceLocation) { $0 == state }
    }
}
