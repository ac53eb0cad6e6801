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

    // MARK: derived values

    @Test func `a hook reads derived values of the state that was entered`() throws {
        var (double, seen): (Derived<Int>?, [Int]) = (nil, [])
        let counter = counter([
            Hook(
                will: { _, _, _ in seen.append(double!.value) },
                did: { _, _, _ in seen.append(double!.value) })
        ])
        double = counter.derive { $0 * 2 }
        #expect(double?.value == 0)
        try counter.send(3)
        #expect(seen == [0, 6])
    }

    private final class Reader: StepHook {
        let name = "reader"
        var read: (() -> Void)?
        func after(_ step: Step, at now: Instant) { read?() }
    }

    private struct Tally: Flow {
        struct State { var count: Int }
        enum StateName: String, CaseIterable, Sendable { case only }
        enum Event: FlowEvent, CaseIterable { case add }
        func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Self> {
            keep(nil, State(count: state.count + 1))
        }
        func describe(_ state: State) -> StateDescription<StateName> {
            StateDescription(.only, [Member("count", state.count)])
        }
        func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<Self> {
            let count: Int = try data.optional("count") ?? 0
            return enter { _ in State(count: count) }
        }
    }

    @Test func `a hook reads derived values of the data that a kept state got`() throws {
        let reader = Reader()
        let tally = StateMachine(Tally(), on: clock, hooks: [reader])
        let count = tally.derive(\.count)
        var seen: [Int] = []
        reader.read = { seen.append(count.value) }
        try tally.send(.add)
        try tally.goto("only", [Member("count", 9)], from: .program)
        #expect(seen == [1, 9])
        reader.read = nil
    }

    @Test
    func `each observer gets a change of another machine in an observer once, in order`()
        throws
    {
        let (a, b) = (counter(), counter())
        let sum = derive(a.derive { $0 }, b.derive { $0 }) { $0 + $1 }
        var seen: [[String]] = [[], []]
        let first = sum.observe { old, new in
            seen[0].append("\(old ?? -1) \(new)")
            if new == 1 { b.sendIfAccepted(10) }
        }
        let second = sum.observe { old, new in seen[1].append("\(old ?? -1) \(new)") }
        try a.send(1)
        #expect(seen[0] == ["-1 0", "0 1", "1 11"])
        #expect(seen[1] == ["-1 0", "0 11"])
        withExtendedLifetime((first, second)) {}
    }

    // MARK: observers that begin during a step

    @Test func `an observer that begins in a hook gets the step once`() throws {
        var (tokens, seen): ([ObservationToken], [Int]) = ([], [])
        weak var machine: StateMachine<Int, Int>?
        let counter = counter([
            Hook(did: { _, _, to in
                guard to == 1, let machine else { return }
                tokens.append(machine.observe { seen.append($1) })
            })
        ])
        machine = counter
        try counter.send(1)
        #expect(seen == [1])
        try counter.send(2)
        #expect(seen == [1, 2])
        try counter.send(1)
        #expect(seen == [1, 2, 1, 1])
    }

    @Test func `a sequence that begins in a hook has the step once`() async throws {
        var sequence: StateSequence<Int>?
        weak var machine: StateMachine<Int, Int>?
        var counter: StateMachine? = counter([
            Hook(did: { _, _, to in if to == 1 { sequence = machine?.states } })
        ])
        machine = counter
        let token = counter?.observe { _, _ in }
        try counter?.send(1)
        try counter?.send(2)
        counter = nil
        var seen: [Int] = []
        for await state in try #require(sequence) { seen.append(state) }
        #expect(seen == [1, 2])
        withExtendedLifetime(token) {}
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

    @Test func `observers that end in a change within a change leave the others`() throws {
        let (a, b) = (counter(), counter())
        let sum = derive(a.derive { $0 }, b.derive { $0 }) { $0 + $1 }
        var (ended, seen): ([ObservationToken], [Int]) = ([], [])
        let first = sum.observe { _, new in
            if new == 1 { b.sendIfAccepted(10) }
            if new == 11 { ended = [] }
        }
        ended = (0..<3).map { _ in sum.observe { _, new in if new > 0 { seen.append(new) } } }
        let last = sum.observe { _, new in seen.append(100 + new) }
        seen = []
        try a.send(1)
        #expect(seen == [111] && ended.isEmpty)
        withExtendedLifetime((first, last)) {}
    }
}
