import GameFlow
import Testing
import Timers

/// An operator's operations with durations that no timer can have.
@Suite struct TimerOperationTests {
    private struct Lap: ValueFlow {
        enum StateName: String, CaseIterable, Sendable { case running }
        typealias State = StateName
        enum Signal: UInt8, CaseIterable { case timeUp, spent }
        enum Event: FlowEvent { case due(Signal) }
        var events: [EventSchema<Event>] { [] }
        func timers(_ state: State) -> [TimerDeclaration<Signal>] {
            [.countdown(.seconds(5), sends: .timeUp), .stopwatch(.spent)]
        }
        func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Self> { .keep }
        func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<Self> {
            enter(name)
        }
    }

    private static let longest = Duration(_high: .max, low: .max)
    private static let shortest = Duration(_high: .min, low: 0)

    private let machine = StateMachine(Lap(), on: VirtualClock())

    /// Operates a timer, and returns whether that changed it, or why it is not possible.
    private func operate(_ timer: String, _ action: TimerOperation.Action, by time: Duration)
        -> String
    {
        do throws(TimerOperation.OperationError) {
            return try machine.operate(TimerOperation(timer, action, by: time))
                ? "changed" : "unchanged"
        } catch { return error.sentence }
    }

    @Test func `a time that is too long is an error, and a negative one changes nothing`() {
        let tooLong = "the time would be too long"
        #expect(operate("timeUp", .extend, by: Self.longest) == tooLong)
        #expect(operate("timeUp", .extend, by: Self.shortest) == "unchanged")
        #expect(operate("timeUp", .shorten, by: Self.shortest) == "unchanged")
        #expect(operate("timeUp", .set, by: Self.longest) == tooLong)
        #expect(operate("spent", .set, by: Self.longest) == tooLong)
        #expect(operate("spent", .set, by: Self.shortest) == "unchanged")
        #expect(machine.liveTimers.map(\.info.remaining) == [.seconds(5), .zero])
        #expect(operate("timeUp", .shorten, by: Self.longest) == "changed")
        #expect(operate("spent", .set, by: .longest) == "changed")
        #expect(machine.liveTimers.map(\.info.remaining) == [.milliseconds(1), .zero - .longest])
        #expect(operate("timeUp", .set, by: Self.shortest) == "changed")
    }
}
