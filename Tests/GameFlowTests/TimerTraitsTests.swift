import GameFlow
import ShippedFlows
import TestSupport
import Testing
import Timers

/// A flow with a stopwatch, a countdown with overtime and a lamp whose timers begin paused.
private struct Shift: ValueFlow {
    var name: String { "shift" }
    var initial: StateName { .working }
    enum StateName: String, CaseIterable { case working, resting }
    typealias State = StateName
    enum Event: FlowEvent {
        case turn
        case due(Signal)
    }
    enum Signal: UInt8, CaseIterable { case worked, end, lamp, blink }

    var events: [EventSchema<Event>] { [EventSchema(.turn)] }
    func describe(_ state: State) -> StateDescription<StateName> { StateDescription(state) }

    func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Shift> {
        switch (state, event) {
        case (.working, .turn): enter(.resting)
        case (.resting, .turn): enter(.working)
        case (_, .due): .keep
        }
    }

    func timers(_ state: State) -> [TimerDeclaration<Signal>] {
        guard state == .working else { return [] }
        return [
            .stopwatch(.worked, afterRestart: .remaining),
            .countdown(.seconds(10), sends: .end, .overtime),
            .countdown(.seconds(3), sends: .lamp, .beginsPaused),
            .pendulum(.seconds(1), sends: .blink, .beginsPaused),
        ]
    }

    func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<Shift> {
        enter(name)
    }
}

/// Timers with traits in flows that are written in Swift.
@Suite struct TimerTraitsTests {
    private func shown(_ timers: [LiveTimer]) -> [String] {
        timers.map { timer in
            let info = timer.info
            let seconds =
                (info.kind == .stopwatch ? info.spent : info.remaining).milliseconds / 1000
            return "\(timer.fires) \(info.kind) \(seconds)"
                + (info.isPaused ? " paused" : "") + (info.isInOvertime ? " fired" : "")
        }
    }

    @Test func `a declaration gives a timer its traits`() throws {
        let fixture = try MachineFixture(Shift(), "working")
        fixture.time.advance(by: .seconds(12))
        #expect(
            shown(fixture.machine.liveTimers) == [
                "worked stopwatch 12", "end countdown -2 fired", "lamp countdown 3 paused",
                "blink pendulum 1 paused",
            ])
    }

    @Test func `a restart restores the traits by the policies`() throws {
        let fixture = try MachineFixture(Shift(), "working")
        fixture.time.advance(by: .seconds(12))
        let restored = MachineFixture(
            unopened: fixture.machine.flow, at: fixture.time.now + .seconds(5))
        try restored.restore(fixture.machine.snapshot, lastAlive: fixture.time.now)
        #expect(
            shown(restored.machine.liveTimers) == [
                "worked stopwatch 12", "end countdown -7 fired", "lamp countdown 3 paused",
                "blink pendulum 1 paused",
            ])
    }

    @Test func `a machine without a flow has them, too`() throws {
        enum Event { case turn, worked, end }
        let clock = VirtualClock()
        let machine = StateMachine<Bool, Event>(
            initial: false, on: clock, reduce: { isOn, event in event == .turn ? !isOn : nil })
        machine.timers { isOn in
            isOn ? [.stopwatch(.worked), .countdown(.seconds(2), sends: .end, .overtime)] : []
        }
        try machine.send(.turn)
        clock.advance(by: .seconds(5))
        #expect(machine.timers.map(\.kind) == [.stopwatch, .countdown])
        #expect(machine.timers.map(\.spent) == [.seconds(5), .zero])
        #expect(machine.timers.map(\.remaining) == [.zero, .seconds(-3)])
    }
}
