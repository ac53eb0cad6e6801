public import GameFlow
public import Testing
public import Timers

/// A machine of a flow, for tests, on a clock that advances only when the test calls `after` or advances `clock`. A failed
/// expectation is recorded as an issue of Swift Testing, with the history of the machine.
///
///     let test = MachineTest(Game())
///     try test.send(.startPlaying)
///     test.after(.seconds(60))
///     test.expect(.introduction)
public final class MachineTest<F: Flow> {
    public var machine: StateMachine<F.State, F.Event> { run.machine }
    public var clock: VirtualClock { run.clock }
    /// The calls of `start`, `send` and `after`, and the states that followed, one per line after the virtual time:
    /// `60.0 seconds  choosingEpisode → introduction`.
    public var history: [String] { run.history }
    private let run: TestRun<F.State, F.Event>
    /// The observation that adds the states to `history`; it would end if the token were released.
    private var token: ObservationToken?

    /// Creates a machine in the flow's initial state.
    ///
    /// - Precondition: The flow can enter its initial state.
    public init(_ flow: F) {
        let clock = VirtualClock()
        run = TestRun(StateMachine(flow, on: clock), clock)
        var previousName = ""
        token = machine.observe { [unowned run] old, _ in
            let place = run.machine.place
            // The first call is for the initial state, before which there is no old state.
            run.record(old == nil ? "\(place)" : "\(previousName) → \(place)")
            previousName = place.state
            for sentence in run.machine.brokenInvariants { run.record("broken: \(sentence)") }
        }
    }

    // MARK: events and time

    /// Sends an event and returns the state after it, or throws the refusal.
    @discardableResult public func send(_ event: F.Event) throws(Refusal<F.State, F.Event>)
        -> F.State
    {
        try run.send(event)
    }

    /// Advances the clock by `time`; every timer that is due by then fires.
    public func after(_ time: Duration, sourceLocation: SourceLocation = #_sourceLocation) {
        run.after(time, sourceLocation)
    }

    /// Enters a state by its name and data, without effects, so that a test can start there. Throws if the data are invalid.
    public func start(_ name: F.StateName, _ data: [Member] = []) throws(Reason) {
        run.record("start at \(name.rawValue)")
        try machine.goto(name.rawValue, data, from: .program)
    }

    // MARK: expectations

    /// Expects the machine to be in the state `name`, and the data named in `data` to have the given values. Other data of the
    /// state are not compared.
    public func expect(
        _ name: F.StateName, _ data: KeyValuePairs<String, Value> = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let place = machine.place
        guard place.state == name.rawValue else {
            return run.fail("expected \(name.rawValue), found \(place)", sourceLocation)
        }
        for (key, value) in data where place.data[key] != value {
            let found = place.data[key].map { "\($0)" } ?? "none"
            return run.fail(
                "expected \(name.rawValue) with \(key)=\(value), found \(key)=\(found)",
                sourceLocation)
        }
    }

    /// Expects a state whose datum `score` has the value `score`; short for `expect(name, ["score": score])`.
    public func expect(
        _ name: F.StateName, score: Value, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expect(name, ["score": score], sourceLocation: sourceLocation)
    }

    /// Expects the machine to refuse an event, and to keep its state and data. If `reason` is given, the event must be refused
    /// for this reason.
    public func expectRefusal(
        _ event: F.Event, _ reason: Reason? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let before = machine.place
        let wasRefused = run.expectRefusal(event, reason, sourceLocation)
        if wasRefused, machine.place != before {
            run.fail("the refusal changed the state", sourceLocation)
        }
    }

    /// Expects the state's running and paused timers to have the signals `signals`. The order is the order in which the entry
    /// set the timers.
    public func expectTimers(
        _ signals: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let found = machine.liveTimers.map(\.fires)
        guard found != signals else { return }
        run.fail("expected the timers \(signals), found \(found)", sourceLocation)
    }

    /// Expects all invariants of the flow to hold in the present state.
    public func expectInvariants(sourceLocation: SourceLocation = #_sourceLocation) {
        for sentence in machine.brokenInvariants { run.fail("broken: \(sentence)", sourceLocation) }
    }
}
