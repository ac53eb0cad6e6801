import GameFlow
import JSONCoding
import Testing
import Timers

/// In `EveryCaseFlow`, the state `busy` defers the event `task`. After 5 s its countdown `rested` enters `idle`, where `task`
/// enters `busy` again.
@Suite struct DeferralTests {
    /// The arguments of the event `task`.
    private func task(_ number: Int) -> [Member] { [Member("name", "t\(number)")] }

    @Test func `deferred events are offered again in their order after each entry`() throws {
        let fixture = try MachineFixture(EveryCaseFlow(), "busy")
        try fixture.send("task", task(1))
        try fixture.send("task", task(2))
        #expect(fixture.machine.deferredCount == 2)
        #expect(fixture.steps.suffix(2).map(\.kind) == [.defer, .defer])
        #expect(fixture.timers == ["rested 5000/5000"])
        fixture.time.advance(by: .seconds(5))
        // The first task enters `busy` again, where the second remains deferred.
        #expect(fixture.steps.last?.event?.arguments == task(1))
        #expect(fixture.machine.deferredCount == 1)
        fixture.time.advance(by: .seconds(5))
        #expect(fixture.steps.last?.event?.arguments == task(2))
        #expect(fixture.machine.deferredCount == 0)
        fixture.time.advance(by: .seconds(5))
        #expect(fixture.state == "idle")
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `sixteen events can be deferred, the seventeenth is refused and changes nothing`()
        throws
    {
        let fixture = try MachineFixture(EveryCaseFlow(), "busy")
        for number in 1...16 { try fixture.send("task", task(number)) }
        let before = fixture.summary
        #expect(fixture.refusal("task", task(17)) == .deferQueueFull)
        #expect(fixture.summary == before)
        for _ in 1...17 { fixture.time.advance(by: .seconds(5)) }
        let done = fixture.steps.filter { $0.kind == .enter && $0.event?.name == "task" }
        #expect(done.map { $0.event?.arguments } == (1...16).map { task($0) })
        #expect(fixture.machine.deferredCount == 0)
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `a deferred event that is refused when it is offered again is dropped and reported`()
        throws
    {
        let fixture = try MachineFixture(EveryCaseFlow(), "busy")
        try fixture.send("task", task(1))
        try fixture.send("task", task(2))
        try fixture.send("finish")
        #expect(fixture.steps.suffix(3).map(\.kind) == [.enter, .drop, .drop])
        #expect(fixture.steps.last?.event == EventRecord("task", task(2)))
        #expect(fixture.steps.last?.why == .finished)
        #expect(fixture.machine.deferredCount == 0)
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `deferred events precede posted events`() throws {
        let fixture = try MachineFixture(EveryCaseFlow(), "busy")
        try fixture.send("task", task(1))
        fixture.onStep = { step in
            if step.to?.state ?? "" == "idle" { fixture.machine.post("count", [], from: .tester) }
        }
        fixture.time.advance(by: .seconds(5))
        // In `idle` the deferred task came first. It entered `busy`, which refuses the posted event.
        #expect(fixture.state == "busy")
        #expect(fixture.refusals.map(\.event) == ["count"])
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `a deferred event keeps its sender`() throws {
        let fixture = try MachineFixture(EveryCaseFlow(), "busy")
        try fixture.send("task", task(1))
        fixture.time.advance(by: .seconds(5))
        #expect(fixture.steps.last?.event?.name == "task")
        #expect(fixture.steps.last?.source === Source.tester)
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `deferred events are offered again after an operator's goto`() throws {
        let fixture = try MachineFixture(EveryCaseFlow(), "busy")
        try fixture.send("task", task(1))
        try fixture.machine.goto("idle", [], from: .tester)
        #expect(fixture.state == "busy")
        #expect(fixture.machine.deferredCount == 0)
        fixture.expectOnlyItsOwnTimers()
    }
}
