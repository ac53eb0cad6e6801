import GameFlow
import Testing
import Timers

/// The behaviour of machines, with `EveryCaseFlow`, whose states are:
/// - `idle`, the initial state.
/// - `counting`, with the number `n`, a countdown `over` of 10 s and a pendulum `beat` of 1 s. `bump` adds to `n`.
/// - `first`, `second` and `third`. Each lasts 100 ms. `chain` leads from `idle` through all of them to `idle`.
/// - `busy`, which ends after 5 s with the signal `rested`.
/// - `done`, the final state.
@Suite struct MachineTests {
    @Test func `the number of events posted in one run is limited`() throws {
        let fixture = try MachineFixture(EveryCaseFlow())
        fixture.onStep = { _ in fixture.machine.post("count", [], from: .tester) }
        fixture.onRefusal = { fixture.machine.post("count", [], from: .tester) }
        try fixture.send("count")
        // `counting` refuses `count`. Each refusal posts the next event, until the queue refuses to post it.
        #expect(fixture.refusals.count == EventQueue.postLimit + 1)
        #expect(fixture.refusals.last?.refusal == .tooManyPosts)
        fixture.onStep = nil
        fixture.onRefusal = nil
        try fixture.send("bump", [Member("by", 1)])
        #expect(fixture.data == [Member("n", 1)])
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `leaving a state ends its timers, and entering sets new ones`() throws {
        let fixture = try MachineFixture(EveryCaseFlow())
        try fixture.send("count")
        #expect(fixture.timers == ["over 10000/10000", "beat 1000/1000"])
        try fixture.send("work")
        #expect(fixture.timers == ["rested 5000/5000"])
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `keep changes data and does not affect the timers`() throws {
        let fixture = try MachineFixture(EveryCaseFlow(), "counting", [Member("n", 3)])
        fixture.time.advance(by: .milliseconds(2500))
        try fixture.send("bump", [Member("by", 4)])
        #expect(fixture.data == [Member("n", 7)])
        #expect(fixture.timers == ["over 7500/10000", "beat 500/1000"])
        #expect(fixture.steps.last?.kind == .keep)
        #expect(fixture.steps.last?.from == StateRecord("counting", [Member("n", 3)]))
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `entering the same state again restarts its timers`() throws {
        let fixture = try MachineFixture(EveryCaseFlow(), "counting", [Member("n", 3)])
        fixture.time.advance(by: .milliseconds(2500))
        try fixture.send("again")
        #expect(fixture.timers == ["over 10000/10000", "beat 1000/1000"])
        #expect(fixture.steps.last?.kind == .enter)
        fixture.time.advance(by: .milliseconds(9999))
        #expect(fixture.state == "counting")
        fixture.time.advance(by: .milliseconds(1))
        #expect(fixture.state == "idle")
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `a keep with an effect is a change, a keep without data and effects is a beat`()
        throws
    {
        let fixture = try MachineFixture(EveryCaseFlow(), "counting", [Member("n", 0)])
        try fixture.send("flash")
        #expect(fixture.steps.last?.effects.first?.name == "light")
        let before = fixture.steps.count
        try fixture.send("peek")
        try fixture.send("bump", [Member("by", 0)])
        #expect(fixture.steps.count == before)
        #expect(fixture.beats == 2)
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `an effect carries its arguments`() throws {
        let fixture = try MachineFixture(EveryCaseFlow())
        try fixture.send("task", [Member("name", "sweep")])
        #expect(
            fixture.steps.last?.effects.first?.arguments == [Member("task", "sweep")])
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `an advance of 1000 ms passes through three states of 100 ms`() throws {
        let fixture = try MachineFixture(EveryCaseFlow())
        var instants: [Int64] = []
        fixture.onStep = { _ in instants.append(fixture.time.now.milliseconds) }
        try fixture.send("chain")
        fixture.time.advance(by: .milliseconds(1000))
        #expect(instants == [0, 100, 200, 300])
        #expect(fixture.state == "idle")
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `a timer of an earlier entry never fires after the state is entered again`()
        throws
    {
        let fixture = try MachineFixture(EveryCaseFlow())
        try fixture.send("chain")
        fixture.time.advance(by: .milliseconds(60))
        try fixture.send("again")
        try fixture.send("chain")
        fixture.time.advance(by: .milliseconds(60))
        #expect(fixture.state == "first")
        fixture.time.advance(by: .milliseconds(40))
        #expect(fixture.state == "second")
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `a copy of an old state has no live timer`() throws {
        // `copies` contains each state that the flow's selector has received.
        let flow = EveryCaseFlow()
        let fixture = try MachineFixture(flow, "counting", [Member("n", 0)])
        try fixture.send("again")
        try fixture.send("finish")
        #expect(flow.copies.states.count >= 2)
        for case .counting(_, let clock, let beat) in flow.copies.states {
            #expect(!clock.isLive)
            beat.restart()
            clock.resume()
            clock.extend(by: .seconds(5))
        }
        #expect(fixture.time.pending.isEmpty)
        fixture.time.advance(by: .seconds(60))
        #expect(fixture.state == "done")
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `a transition that throws is rolled back, and its timers are ended`()
        throws
    {
        let flow = EveryCaseFlow()
        let fixture = try MachineFixture(flow, "counting", [Member("n", 1)])
        fixture.time.advance(by: .milliseconds(1234))
        let before = fixture.summary
        // The transition creates timers, adds a state `first` to `copies`, posts an event, and then throws.
        #expect(fixture.refusal("fail") == .invalid("fail", "half-way"))
        #expect(fixture.summary == before)
        let droppedTimers = flow.copies.states.compactMap { state in
            if case .first(let timer) = state { timer } else { nil }
        }
        #expect(droppedTimers.map(\.isLive) == [false])
        // The pendulum of `counting` still fires each second after the entry: 1234 ms + 766 ms = 2 s.
        fixture.time.advance(by: .milliseconds(766))
        #expect(fixture.beats == 2)
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `a final state has no timers and refuses every event`() throws {
        let fixture = try MachineFixture(EveryCaseFlow())
        try fixture.send("finish")
        #expect(fixture.machine.isFinal)
        for event in fixture.machine.flow.events where event.parameters.isEmpty {
            #expect(fixture.refusal(event.name) == .finished)
        }
        #expect(fixture.refusal("bump") == .invalid("by", "missing"))
        #expect(fixture.machine.accepts.isEmpty)
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `events posted in a transition are processed after it, in order`() throws {
        let fixture = try MachineFixture(EveryCaseFlow())
        // `postTwice` enters `counting` with n = 1, and posts `bump` by 5 and then `chain`. `counting` refuses `chain`.
        try fixture.send("postTwice")
        #expect(fixture.steps.map { $0.event?.name } == [nil, "postTwice", "bump"])
        #expect(fixture.data == [Member("n", 6)])
        #expect(fixture.refusals.map(\.event) == ["chain"])
        #expect(fixture.refusals.map(\.refusal) == [.noTransition])
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `an event posted by an observer is processed after the step`() throws {
        let fixture = try MachineFixture(EveryCaseFlow())
        var order: [String] = []
        fixture.onStep = { step in
            let state = step.to?.state ?? ""
            order.append("begin \(state)")
            if state == "counting", step.kind == .enter {
                fixture.machine.post("work", [], from: .tester)
                fixture.machine.post("finish", [], from: .tester)
            }
            order.append("end \(state)")
        }
        try fixture.send("count")
        #expect(
            order == [
                "begin counting", "end counting", "begin busy", "end busy", "begin done",
                "end done",
            ])
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `goto enters any state with new timers and without effects`() throws {
        let fixture = try MachineFixture(EveryCaseFlow(), "counting", [Member("n", 1)])
        fixture.time.advance(by: .seconds(3))
        try fixture.machine.goto("busy", [], from: .tester)
        #expect(fixture.timers == ["rested 5000/5000"])
        #expect(fixture.steps.last?.kind == .goto)
        #expect(fixture.steps.last?.effects == [])
        try fixture.machine.goto("done", [], from: .tester)
        try fixture.machine.goto("idle", [], from: .tester)
        #expect(fixture.state == "idle")
        #expect(throws: Reason.unknownState) {
            try fixture.machine.goto("nowhere", [], from: .tester)
        }
        #expect(throws: Reason.invalid("n", "missing")) {
            try fixture.machine.goto("counting", [], from: .tester)
        }
        #expect(throws: Reason.invalid("x", "unknown")) {
            try fixture.machine.goto("idle", [Member("x", 1)], from: .tester)
        }
        #expect(fixture.state == "idle")
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `the parameters of an event are read by name`() throws {
        let fixture = try MachineFixture(EveryCaseFlow())
        #expect(fixture.refusal("both", [Member("a", 1)]) == .invalid("b", "missing"))
        try fixture.send("both", [Member("b", true), Member("a", 9)])
        #expect(fixture.data == [Member("n", 9)])
        fixture.expectOnlyItsOwnTimers()
    }
}
