import GameFlow
import ShippedFlows
import Testing
import Timers

/// In the state `idle` of `EveryCaseFlow`, the event `count` enters `counting`, and `chain` enters `first`, from which a timer
/// of 100 ms leads to `second`. In `counting`, `bump` changes the data and `flash` has an effect. In `idle`, `task` enters
/// `busy`, which defers further events `task`; and `postTwice` enters `counting` and posts two events to the machine.
@Suite struct HookTests {
    /// A hook that refuses to enter one state, and records the accepted steps.
    private final class ClosingHook: StepHook {
        let name = "guard"
        let closedState: String
        private(set) var steps: [String] = []

        init(closing closedState: String) { self.closedState = closedState }

        func before(_ step: Step, at now: Instant) throws(HookError) {
            if step.to?.state == closedState { throw HookError("\(closedState) is closed") }
        }

        func after(_ step: Step, at now: Instant) {
            steps.append("\(step.kind) \(step.to?.state ?? "")")
        }
    }

    private let bumpArguments = [Member("by", 2)]

    @Test func `a hook that throws refuses the step, and nothing changes`() throws {
        let hook = ClosingHook(closing: "counting")
        let fixture = try MachineFixture(EveryCaseFlow(), hooks: [hook])
        let before = fixture.summary
        #expect(fixture.refusal("count") == .hookRefused("guard", "counting is closed"))
        #expect(fixture.summary == before)
        #expect(fixture.time.timerQueue.count == 0)
        #expect(hook.steps == ["open idle"])
        try fixture.send("chain")
        #expect(hook.steps == ["open idle", "enter first"])
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `events posted by a refused entry are dropped`() throws {
        let hook = ClosingHook(closing: "counting")
        let fixture = try MachineFixture(EveryCaseFlow(), hooks: [hook])
        #expect(fixture.refusal("postTwice") == .hookRefused("guard", "counting is closed"))
        #expect(fixture.state == "idle")
        #expect(fixture.refusals.isEmpty)
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `a hook can refuse a change of data`() throws {
        let hook = ClosingHook(closing: "counting")
        let fixture = try MachineFixture(
            EveryCaseFlow(), "counting", [Member("n", 1)], hooks: [hook])
        let before = fixture.summary
        #expect(
            fixture.refusal("bump", bumpArguments)
                == .hookRefused("guard", "counting is closed"))
        #expect(fixture.refusal("flash") == .hookRefused("guard", "counting is closed"))
        #expect(fixture.summary == before)
        // Hooks are not called for beats, so hooks cannot refuse beats.
        fixture.time.advance(by: .seconds(3))
        #expect(fixture.beats == 3)
        #expect(hook.steps == ["open counting"])
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `hooks are called in order, and the first error refuses the step`() throws {
        let hooks = [ClosingHook(closing: "second"), ClosingHook(closing: "counting")]
        let fixture = try MachineFixture(EveryCaseFlow(), hooks: hooks)
        #expect(fixture.refusal("count") == .hookRefused("guard", "counting is closed"))
        try fixture.send("chain")
        fixture.time.advance(by: .milliseconds(100))
        #expect(fixture.state == "first")
        #expect(fixture.refusals.map(\.refusal) == [.hookRefused("guard", "second is closed")])
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `hooks are notified of an operator's goto but cannot refuse it`() throws {
        let hook = ClosingHook(closing: "counting")
        let fixture = try MachineFixture(EveryCaseFlow(), hooks: [hook])
        try fixture.machine.goto("counting", [Member("n", 4)], from: .tester)
        #expect(hook.steps == ["open idle", "goto counting"])
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `a deferred event that a hook refuses is dropped`() throws {
        let hook = ClosingHook(closing: "busy")
        let fixture = try MachineFixture(EveryCaseFlow(), "busy", hooks: [hook])
        try fixture.send("task", [Member("name", "t")])
        fixture.time.advance(by: .seconds(5))
        #expect(fixture.state == "idle")
        #expect(hook.steps == ["open busy", "defer busy", "enter idle", "drop idle"])
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `a countdown whose signal a hook refuses does not fire again`() throws {
        let fixture = try MachineFixture(Startup(), hooks: [ClosingHook(closing: "error")])
        fixture.time.advance(by: .seconds(60))
        #expect(fixture.state == "launching")
        #expect(fixture.refusals.map(\.refusal) == [.hookRefused("guard", "error is closed")])
        #expect(fixture.timers.isEmpty)
        try fixture.send("didLaunch")
        #expect(fixture.timers == ["hydrateTimedOut 10000/10000"])
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `an event posted by a hook is processed after the step`() throws {
        final class Poster: StepHook {
            let name = "poster"
            weak var machine: AnyMachine?
            func after(_ step: Step, at now: Instant) {
                if step.to?.state == "idle", step.kind == .open || step.kind == .enter {
                    machine?.post("count", [], from: .tester)
                }
            }
        }
        let hook = Poster()
        let fixture = try MachineFixture(EveryCaseFlow(), "first", hooks: [hook])
        hook.machine = fixture.machine
        try fixture.send("again")
        #expect(fixture.steps.map(\.to?.state) == ["first", "idle", "counting"])
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `a hook can sum up the time in each state`() throws {
        let times = StateTimes()
        let fixture = try MachineFixture(Startup(), hooks: [times])
        fixture.time.advance(by: .seconds(2))
        try fixture.send("didLaunch")
        fixture.time.advance(by: .seconds(3))
        _ = fixture.refusal("logout")
        fixture.time.advance(by: .seconds(7))  // hydration times out
        try fixture.send("retry")
        fixture.time.advance(by: .milliseconds(1500))
        let now = fixture.time.now
        #expect(times.time(in: "launching", at: now) == .seconds(2))
        #expect(times.time(in: "hydrating", at: now) == .milliseconds(11_500))
        #expect(times.time(in: "error", at: now) == .zero)
        #expect(times.time(in: "ready", at: now) == .zero)
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `a machine can ignore and log the events that its state does not take`() throws {
        var log: [String] = []
        let fixture = try MachineFixture(Startup(), unhandled: .ignore { log.append($0) })
        let before = fixture.summary
        #expect(fixture.refusal("logout") == nil)
        #expect(fixture.summary == before)
        #expect(log == ["launching does not take logout: ignored"])
        #expect(
            fixture.refusal("deepLink", [Member("link", "x")])
                == .invalid("link", "not a link of the form SCHEME://TEXT without blanks"))
        #expect(fixture.refusal("launchTimedOut") == .forbidden)
        fixture.expectOnlyItsOwnTimers()

        let registration = try MachineFixture(Registration(), unhandled: .ignore { log.append($0) })
        try registration.send("login")
        #expect(registration.refusal("next") == nil)
        #expect(log.last == "finished does not take next: ignored")
        registration.expectOnlyItsOwnTimers()
    }
}
