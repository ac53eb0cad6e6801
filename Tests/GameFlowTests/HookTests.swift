import GameFlow
import ShippedFlows
import Testing
import Timers

@Suite struct HookTests {
    /// Objects to a state, and writes down what it is told.
    private final class Guard: StepHook {
        let name = "guard"
        let closed: String
        private(set) var told: [String] = []

        init(closing closed: String) { self.closed = closed }

        func before(_ step: Step, at now: Instant) throws(HookError) {
            if step.to?.state == closed { throw HookError("\(closed) is closed") }
        }

        func after(_ step: Step, at now: Instant) {
            told.append("\(step.kind) \(step.to?.state ?? "")")
        }
    }

    private let count = [Member("by", 2)]

    @Test func `a hook that throws refuses the step, and nothing changes`() throws {
        let hook = Guard(closing: "counting")
        let stage = try MachineFixture(EveryCaseFlow(), hooks: [hook])
        let before = stage.everything
        #expect(stage.refusal("count") == .hookRefused("guard", "counting is closed"))
        #expect(stage.everything == before)
        #expect(stage.time.timerQueue.count == 0)
        #expect(hook.told == ["open idle"])
        try stage.send("chain")
        #expect(hook.told == ["open idle", "enter first"])
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `events posted by a refused entry are dropped`() throws {
        let hook = Guard(closing: "counting")
        let stage = try MachineFixture(EveryCaseFlow(), hooks: [hook])
        #expect(stage.refusal("postTwice") == .hookRefused("guard", "counting is closed"))
        #expect(stage.state == "idle")
        #expect(stage.refusals.isEmpty)
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `a hook can refuse a change of data`() throws {
        let hook = Guard(closing: "counting")
        let stage = try MachineFixture(EveryCaseFlow(), "counting", [Member("n", 1)], hooks: [hook])
        let before = stage.everything
        #expect(stage.refusal("bump", count) == .hookRefused("guard", "counting is closed"))
        #expect(stage.refusal("flash") == .hookRefused("guard", "counting is closed"))
        #expect(stage.everything == before)
        stage.time.advance(by: .seconds(3))
        #expect(stage.beats == 3)
        #expect(hook.told == ["open counting"])
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `hooks are called in order, and the first error refuses the step`() throws {
        let (first, second) = (Guard(closing: "second"), Guard(closing: "counting"))
        let stage = try MachineFixture(EveryCaseFlow(), hooks: [first, second])
        #expect(stage.refusal("count") == .hookRefused("guard", "counting is closed"))
        try stage.send("chain")
        stage.time.advance(by: .milliseconds(100))
        #expect(stage.state == "first")
        #expect(stage.refusals.map(\.refusal) == [.hookRefused("guard", "second is closed")])
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `hooks are told of an operator's order but cannot refuse it`() throws {
        let hook = Guard(closing: "counting")
        let stage = try MachineFixture(EveryCaseFlow(), hooks: [hook])
        try stage.machine.goto("counting", [Member("n", 4)], from: .tester)
        #expect(hook.told == ["open idle", "goto counting"])
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `a deferred event that a hook refuses is dropped`() throws {
        let hook = Guard(closing: "busy")
        let stage = try MachineFixture(EveryCaseFlow(), "busy", hooks: [hook])
        try stage.send("task", [Member("name", "t")])
        stage.time.advance(by: .seconds(5))
        #expect(stage.state == "idle")
        #expect(hook.told == ["open busy", "defer busy", "enter idle", "drop idle"])
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `a countdown whose signal a hook refuses does not fire again`() throws {
        let stage = try MachineFixture(Startup(), hooks: [Guard(closing: "error")])
        stage.time.advance(by: .seconds(60))
        #expect(stage.state == "launching")
        #expect(stage.refusals.map(\.refusal) == [.hookRefused("guard", "error is closed")])
        #expect(stage.timers.isEmpty)
        try stage.send("didLaunch")
        #expect(stage.timers == ["hydrateTimedOut 10000/10000"])
        stage.expectOnlyItsOwnTimers()
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
        let stage = try MachineFixture(EveryCaseFlow(), "first", hooks: [hook])
        hook.machine = stage.machine
        try stage.send("again")
        #expect(stage.steps.map(\.to?.state) == ["first", "idle", "counting"])
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `a hook can sum up the time in each state`() throws {
        let times = StateTimes()
        let stage = try MachineFixture(Startup(), hooks: [times])
        stage.time.advance(by: .seconds(2))
        try stage.send("didLaunch")
        stage.time.advance(by: .seconds(3))
        _ = stage.refusal("logout")
        stage.time.advance(by: .seconds(7))  // hydration times out
        try stage.send("retry")
        stage.time.advance(by: .milliseconds(1500))
        let now = stage.time.now
        #expect(times.time(in: "launching", at: now) == .seconds(2))
        #expect(times.time(in: "hydrating", at: now) == .milliseconds(11_500))
        #expect(times.time(in: "error", at: now) == .zero)
        #expect(times.time(in: "ready", at: now) == .zero)
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `a machine can be made to ignore and log events without a row`() throws {
        var log: [String] = []
        let stage = try MachineFixture(Startup(), unhandled: .ignore { log.append($0) })
        let before = stage.everything
        #expect(stage.refusal("logout") == nil)
        #expect(stage.everything == before)
        #expect(log == ["launching does not take logout: ignored"])
        #expect(
            stage.refusal("deepLink", [Member("link", "x")])
                == .invalid("link", "not a scheme, :// and something behind it, without a blank"))
        #expect(stage.refusal("launchTimedOut") == .forbidden)
        stage.expectOnlyItsOwnTimers()

        let over = try MachineFixture(Registration(), unhandled: .ignore { log.append($0) })
        try over.send("login")
        #expect(over.refusal("next") == nil)
        #expect(log.last == "finished does not take next: ignored")
        over.expectOnlyItsOwnTimers()
    }
}
