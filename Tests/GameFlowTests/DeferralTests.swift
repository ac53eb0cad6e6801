import GameFlow
import JSONCoding
import Testing
import Timers

@Suite struct DeferralTests {
    private func task(_ number: Int) -> [Member] { [Member("name", "t\(number)")] }

    @Test func `deferred events are offered again in their order after each entry`() throws {
        let stage = try MachineFixture(EveryCaseFlow(), "busy")
        try stage.send("task", task(1))
        try stage.send("task", task(2))
        #expect(stage.machine.deferredCount == 2)
        #expect(stage.steps.suffix(2).map(\.kind) == [.defer, .defer])
        #expect(stage.timers == ["rested 5000/5000"])
        stage.time.advance(by: .seconds(5))
        // The first makes it busy again; the second waits for the next rest.
        #expect(stage.steps.last?.event?.arguments == task(1))
        #expect(stage.machine.deferredCount == 1)
        stage.time.advance(by: .seconds(5))
        #expect(stage.steps.last?.event?.arguments == task(2))
        #expect(stage.machine.deferredCount == 0)
        stage.time.advance(by: .seconds(5))
        #expect(stage.state == "idle")
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `sixteen events can be deferred, the seventeenth is refused and changes nothing`()
        throws
    {
        let stage = try MachineFixture(EveryCaseFlow(), "busy")
        for number in 1...16 { try stage.send("task", task(number)) }
        let before = stage.everything
        #expect(stage.refusal("task", task(17)) == .deferQueueFull)
        #expect(stage.everything == before)
        for _ in 1...17 { stage.time.advance(by: .seconds(5)) }
        let done = stage.steps.filter { $0.kind == .enter && $0.event?.name == "task" }
        #expect(done.map { $0.event?.arguments } == (1...16).map { task($0) })
        #expect(stage.machine.deferredCount == 0)
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `a deferred event that is refused when it is offered again is dropped and reported`()
        throws
    {
        let stage = try MachineFixture(EveryCaseFlow(), "busy")
        try stage.send("task", task(1))
        try stage.send("task", task(2))
        try stage.send("finish")
        #expect(stage.steps.suffix(3).map(\.kind) == [.enter, .drop, .drop])
        #expect(stage.steps.last?.event == EventRecord("task", task(2)))
        #expect(stage.steps.last?.why == .finished)
        #expect(stage.machine.deferredCount == 0)
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `deferred events precede posted events`() throws {
        let stage = try MachineFixture(EveryCaseFlow(), "busy")
        try stage.send("task", task(1))
        stage.onStep = { step in
            if step.to?.state ?? "" == "idle" { stage.machine.post("count", [], from: .tester) }
        }
        stage.time.advance(by: .seconds(5))
        #expect(stage.state == "busy")
        #expect(stage.refusals.map(\.event) == ["count"])
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `a deferred event keeps its sender`() throws {
        let stage = try MachineFixture(EveryCaseFlow(), "busy")
        try stage.send("task", task(1))
        stage.time.advance(by: .seconds(5))
        #expect(stage.steps.last?.event?.name == "task")
        #expect(stage.steps.last?.source === Source.tester)
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `deferred events are offered again after an operator's goto`() throws {
        let stage = try MachineFixture(EveryCaseFlow(), "busy")
        try stage.send("task", task(1))
        try stage.machine.goto("idle", [], from: .tester)
        #expect(stage.state == "busy")
        #expect(stage.machine.deferredCount == 0)
        stage.expectOnlyItsOwnTimers()
    }
}
