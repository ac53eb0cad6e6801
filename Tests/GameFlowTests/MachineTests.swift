import GameFlow
import Testing
import Timers

/// The laws, on a flow that has every case.
@Suite struct MachineTests {
    @Test func `the number of events posted in one run is limited`() throws {
        let stage = try MachineFixture(EveryCaseFlow())
        stage.onStep = { _ in stage.machine.post("count", [], from: .tester) }
        stage.refusedToo = { stage.machine.post("count", [], from: .tester) }
        try stage.send("count")
        #expect(stage.refusals.count == EventQueue.postLimit + 1)
        #expect(stage.refusals.last?.refusal == .tooManyPosts)
        stage.onStep = nil
        stage.refusedToo = nil
        try stage.send("bump", [Member("by", 1)])
        #expect(stage.data == [Member("n", 1)])
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `leaving a state ends its timers, and entering sets new ones`() throws {
        let stage = try MachineFixture(EveryCaseFlow())
        try stage.send("count")
        #expect(stage.timers == ["over 10000/10000", "beat 1000/1000"])
        try stage.send("work")
        #expect(stage.timers == ["rested 5000/5000"])
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `keep changes data and does not affect the timers`() throws {
        let stage = try MachineFixture(EveryCaseFlow(), "counting", [Member("n", 3)])
        stage.time.advance(by: .milliseconds(2500))
        try stage.send("bump", [Member("by", 4)])
        #expect(stage.data == [Member("n", 7)])
        #expect(stage.timers == ["over 7500/10000", "beat 500/1000"])
        #expect(stage.steps.last?.kind == .keep)
        #expect(stage.steps.last?.from == StateRecord("counting", [Member("n", 3)]))
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `entering the same state again restarts its timers`() throws {
        let stage = try MachineFixture(EveryCaseFlow(), "counting", [Member("n", 3)])
        stage.time.advance(by: .milliseconds(2500))
        try stage.send("again")
        #expect(stage.timers == ["over 10000/10000", "beat 1000/1000"])
        #expect(stage.steps.last?.kind == .enter)
        stage.time.advance(by: .milliseconds(9999))
        #expect(stage.state == "counting")
        stage.time.advance(by: .milliseconds(1))
        #expect(stage.state == "idle")
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `a keep with an effect is a change, a keep without data and effects is a beat`()
        throws
    {
        let stage = try MachineFixture(EveryCaseFlow(), "counting", [Member("n", 0)])
        try stage.send("flash")
        #expect(stage.steps.last?.effects.first?.name == "light")
        let before = stage.steps.count
        try stage.send("peek")
        try stage.send("bump", [Member("by", 0)])
        #expect(stage.steps.count == before)
        #expect(stage.beats == 2)
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `an effect carries its arguments`() throws {
        let stage = try MachineFixture(EveryCaseFlow())
        try stage.send("task", [Member("name", "sweep")])
        #expect(
            stage.steps.last?.effects.first?.arguments == [Member("task", "sweep")])
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `one step of 1000 ms passes through three states of 100 ms`() throws {
        let stage = try MachineFixture(EveryCaseFlow())
        var instants: [Int64] = []
        stage.onStep = { _ in instants.append(stage.time.now.milliseconds) }
        try stage.send("chain")
        stage.time.advance(by: .milliseconds(1000))
        #expect(instants == [0, 100, 200, 300])
        #expect(stage.state == "idle")
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `a timer of an earlier entry never fires after the state is entered again`()
        throws
    {
        let stage = try MachineFixture(EveryCaseFlow())
        try stage.send("chain")
        stage.time.advance(by: .milliseconds(60))
        try stage.send("again")
        try stage.send("chain")
        stage.time.advance(by: .milliseconds(60))
        #expect(stage.state == "first")
        stage.time.advance(by: .milliseconds(40))
        #expect(stage.state == "second")
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `a copy of an old state has no live timer`() throws {
        let lab = EveryCaseFlow()
        let stage = try MachineFixture(lab, "counting", [Member("n", 0)])
        try stage.send("again")
        try stage.send("finish")
        #expect(lab.shelf.states.count >= 2)
        for case .counting(_, let clock, let beat) in lab.shelf.states {
            #expect(!clock.isLive)
            beat.restart()
            clock.resume()
            clock.extend(by: .seconds(5))
        }
        #expect(stage.time.pending.isEmpty)
        stage.time.advance(by: .seconds(60))
        #expect(stage.state == "done")
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `a transition that throws is rolled back, and its timers are ended`()
        throws
    {
        let lab = EveryCaseFlow()
        let stage = try MachineFixture(lab, "counting", [Member("n", 1)])
        stage.time.advance(by: .milliseconds(1234))
        let before = stage.everything
        #expect(stage.refusal("fail") == .invalid("fail", "half-way"))
        #expect(stage.everything == before)
        let orphans = lab.shelf.states.compactMap { state in
            if case .first(let timer) = state { timer } else { nil }
        }
        #expect(orphans.map(\.isLive) == [false])
        stage.time.advance(by: .milliseconds(766))
        #expect(stage.beats == 2)
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `a final state has no timers and refuses every event`() throws {
        let stage = try MachineFixture(EveryCaseFlow())
        try stage.send("finish")
        #expect(stage.machine.isFinal)
        for event in stage.machine.flow.events where event.parameters.isEmpty {
            #expect(stage.refusal(event.name) == .finished)
        }
        #expect(stage.refusal("bump") == .invalid("by", "missing"))
        #expect(stage.machine.accepts.isEmpty)
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `events posted in a transition are processed after it, in order`() throws {
        let stage = try MachineFixture(EveryCaseFlow())
        try stage.send("postTwice")
        #expect(stage.steps.map { $0.event?.name } == [nil, "postTwice", "bump"])
        #expect(stage.data == [Member("n", 6)])
        #expect(stage.refusals.map(\.event) == ["chain"])
        #expect(stage.refusals.map(\.refusal) == [.noTransition])
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `an event posted by an observer is processed after the step`() throws {
        let stage = try MachineFixture(EveryCaseFlow())
        var order: [String] = []
        stage.onStep = { step in
            let state = step.to?.state ?? ""
            order.append("begin \(state)")
            if state == "counting", step.kind == .enter {
                stage.machine.post("work", [], from: .tester)
                stage.machine.post("finish", [], from: .tester)
            }
            order.append("end \(state)")
        }
        try stage.send("count")
        #expect(
            order == [
                "begin counting", "end counting", "begin busy", "end busy", "begin done",
                "end done",
            ])
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `goto enters any state with new timers and without effects`() throws {
        let stage = try MachineFixture(EveryCaseFlow(), "counting", [Member("n", 1)])
        stage.time.advance(by: .seconds(3))
        try stage.machine.goto("busy", [], from: .tester)
        #expect(stage.timers == ["rested 5000/5000"])
        #expect(stage.steps.last?.kind == .goto)
        #expect(stage.steps.last?.effects == [])
        try stage.machine.goto("done", [], from: .tester)
        try stage.machine.goto("idle", [], from: .tester)
        #expect(stage.state == "idle")
        #expect(throws: Reason.unknownState) {
            try stage.machine.goto("nowhere", [], from: .tester)
        }
        #expect(throws: Reason.invalid("n", "missing")) {
            try stage.machine.goto("counting", [], from: .tester)
        }
        #expect(throws: Reason.invalid("x", "unknown")) {
            try stage.machine.goto("idle", [Member("x", 1)], from: .tester)
        }
        #expect(stage.state == "idle")
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `the parameters of an event are read by name`() throws {
        let stage = try MachineFixture(EveryCaseFlow())
        #expect(stage.refusal("both", [Member("a", 1)]) == .invalid("b", "missing"))
        try stage.send("both", [Member("b", true), Member("a", 9)])
        #expect(stage.data == [Member("n", 9)])
        stage.expectOnlyItsOwnTimers()
    }
}
