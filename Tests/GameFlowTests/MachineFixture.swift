import GameFlow
import Testing
import Timers

/// A machine on a virtual clock, with a record of its steps and refusals.
final class MachineFixture: MachineObserver {
    let time: VirtualClock
    /// The completed steps, without the beats.
    private(set) var steps: [Step] = []
    /// The number of beats.
    private(set) var beats = 0
    private(set) var refusals: [(event: String, refusal: Reason)] = []
    var onStep: ((Step) -> Void)?
    /// Called for each refusal except `tooManyPosts`. A test may post an event in this closure.
    /// `tooManyPosts` is left out, so that a chain of posted and refused events ends.
    var onRefusal: (() -> Void)?
    private(set) var machine: AnyMachine!

    init(
        _ flow: AnyFlow, _ state: String? = nil, _ data: [Member] = [],
        on time: VirtualClock = VirtualClock(), hooks: [any StepHook] = [],
        unhandled: UnhandledEventPolicy = .throw
    ) throws {
        self.time = time
        machine = flow.machine(
            on: time.timerQueue, EventQueue(), observer: self, hooks: hooks, unhandled: unhandled)
        try machine.open(state, data, from: .tester)
    }

    /// Creates a machine that has not been opened, for a test that restores it.
    init(unopened flow: AnyFlow, on time: VirtualClock) {
        self.time = time
        machine = flow.machine(on: time.timerQueue, EventQueue(), observer: self)
    }

    convenience init(unopened flow: AnyFlow, at now: Instant) {
        self.init(unopened: flow, on: VirtualClock(startingAt: now))
    }

    convenience init(
        _ rules: some Flow, _ state: String? = nil, _ data: [Member] = [],
        hooks: [any StepHook] = [], unhandled: UnhandledEventPolicy = .throw
    ) throws {
        try self.init(AnyFlow(rules), state, data, hooks: hooks, unhandled: unhandled)
    }

    func completed(_ step: consuming Step) {
        if step.isBeat { beats += 1 } else { steps.append(copy step) }
        onStep?(step)
    }

    func refused(_ event: EventRecord, _ source: Source, _ refusal: Reason) {
        refusals.append((event.name, refusal))
        if refusal != .tooManyPosts { onRefusal?() }
    }

    // MARK: events

    func send(_ event: String, _ arguments: [Member] = []) throws(Reason) {
        try machine.send(machine.flow.event(event), arguments, from: .tester)
    }

    /// Sends an event, and returns the reason if it is refused; nil if it is accepted.
    func refusal(_ event: String, _ arguments: [Member] = []) -> Reason? {
        do throws(Reason) {
            try send(event, arguments)
            return nil
        } catch { return error }
    }

    var state: String { machine.place.state }
    var data: [Member] { machine.place.data }

    /// The timers as text, each with its remaining and its total time in milliseconds: `timeUp 88000/90000`.
    var timers: [String] {
        machine.liveTimers.map { timer in
            let info = timer.info
            let paused = info.isPaused ? " paused" : ""
            return "\(timer.fires) \(info.remaining.milliseconds)/\(info.total.milliseconds)"
                + paused
        }
    }

    /// The properties that a refused event must not change, as text.
    var summary: String {
        "\(machine.place) \(timers) \(time.pending) \(machine.deferredCount) \(machine.accepts) \(steps.count)"
    }

    /// Expects that the clock has only the timers of the present state. Then ends the machine, and expects that the clock has
    /// no timers. Every test ends with this call.
    func expectOnlyItsOwnTimers(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(time.timerQueue.count == machine.liveTimers.count, sourceLocation: sourceLocation)
        machine.end()
        onStep = nil  // the closure usually retains the fixture
        #expect(time.timerQueue.count == 0, sourceLocation: sourceLocation)
    }
}

extension Source {
    static let tester = Source(Source.Kind("unix"), peer: .process(pid: 1, uid: 2, gid: 3))
}
