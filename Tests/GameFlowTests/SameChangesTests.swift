import JSONCoding
import ShippedFlows
import TestSupport
import Testing
import Timers

@testable import GameFlow

/// Compares a machine that is sent typed events with one that is sent events by name.
@Suite struct SameChangesTests {
    /// Keeps the state after the newest step, as the machine reports it.
    private final class StateObserver: MachineObserver {
        var state: StateRecord?

        func completed(_ step: consuming Step) { state = step.to }
        func refused(_ event: EventRecord, _ source: Source, _ refusal: Reason) {}
    }

    /// Sends the same random events to two machines, and compares the machines. The first machine gets typed events, and the
    /// second machine gets events by name.
    private func compare<F: Flow>(_ flow: F, seed: UInt64) throws {
        var random = SeededRandom(seed)
        let (flowByName, engine) = (AnyFlow(flow), Engine(flow))
        let (typedClock, namedClock) = (VirtualClock(), VirtualClock())
        let typed = StateMachine<F.State, F.Event>(AnyFlow(flow, engine), engine, on: typedClock)
        let (queue, observer) = (EventQueue(), StateObserver())
        let named = flowByName.machine(on: namedClock.timerQueue, queue, observer: observer)
        try named.open(nil, [], from: .program)
        for step in 0..<200 {
            let time = Duration.milliseconds(Int64(random.below(20_000)))
            typedClock.advance(by: time)
            namedClock.advance(by: time)
            let schema = random.pick(flow.events)
            let sample = random.pick(schema.samples)
            let event = try flowByName.event(schema.name)
            let comment = Comment(
                rawValue: "\(flow.name), seed \(seed), step \(step): \(schema.name)")
            var (typedRefusal, namedRefusal): (Reason?, Reason?)
            do throws(Refusal<F.State, F.Event>) { try typed.send(sample.event) } catch {
                typedRefusal = error.reason
            }
            do throws(Reason) { try named.send(event, sample.arguments, from: .program) } catch {
                namedRefusal = error
            }
            #expect(typedRefusal == namedRefusal, comment)
            #expect(typed.place == named.place, comment)
            #expect(observer.state == named.place, comment)
            #expect(typed.liveTimers.map(\.fires) == named.liveTimers.map(\.fires), comment)
            #expect(
                typed.liveTimers.map(\.info.remaining) == named.liveTimers.map(\.info.remaining),
                comment)
            #expect(typed.deferredCount == named.deferredCount, comment)
        }
        typed.end()
        named.end()
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `typed events and events by name have the same states, timers and refusals`(_ seed: UInt64)
        throws
    {
        try compare(Game(), seed: seed)
        try compare(Startup(), seed: seed)
        try compare(Registration(), seed: seed)
        try compare(Onboarding(), seed: seed)
        try compare(Permissions(), seed: seed)
        try compare(Quiz(), seed: seed)
    }
}
