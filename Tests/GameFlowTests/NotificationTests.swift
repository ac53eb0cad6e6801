import GameFlow
import Testing
import Timers

/// Observers and hooks during a step: each change once, in order, with the values that belong to it.
@Suite struct NotificationTests {
    private let clock = VirtualClock()

    /// A machine whose events are its next states.
    private func counter(_ hooks: [Hook<Int, Int>] = []) -> StateMachine<Int, Int> {
        StateMachine(initial: 0, on: clock, reduce: { $1 }, hooks: hooks)
    }

    // MARK: ending observers

    @Test func `an observer whose end ends others takes only these away`() throws {
        let counter = counter()
        var seen: [String] = []
        var tokens = ["a", "b", "c", "d"].map { name in
            counter.observe { _, new in seen.append("\(name)\(new)") }
        }
        let last = counter.observe { _, new in seen.append("e\(new)") }
        // The observer retains the tokens of the others.
        var holder: ObservationToken? = counter.observe { [tokens] _, _ in
            withExtendedLifetime(tokens) {}
        }
        tokens = []
        seen = []
        try counter.send(1)
        #expect(seen == ["a1", "b1", "c1", "d1", "e1"])
        withExtendedLifetime(holder) {}
        holder = nil
        seen = []
        try counter.send(2)
        #expect(seen == ["e2"])
        withExtendedLifetime(last) {}
    }
}
