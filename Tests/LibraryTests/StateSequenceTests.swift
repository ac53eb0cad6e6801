import GameFlow
import ShippedFlows
import Testing
import Timers

/// The ends of sequences and streams, and their readers.
@MainActor @Suite(.timeLimit(.minutes(1))) struct StateSequenceTests {
    private let clock = VirtualClock()

    private func counter() -> StateMachine<Int, Int> {
        StateMachine(initial: 0, on: clock, reduce: { $1 })
    }

    private func all(_ states: StateSequence<Int>) async -> [Int] {
        var all: [Int] = []
        for await state in states { all.append(state) }
        return all
    }

    @Test func `each reader of a sequence gets all states`() async throws {
        var machine: StateMachine? = counter()
        let states = try #require(machine).states
        let readers = (0..<3).map { _ in Task { await all(states) } }
        // The readers wait for the first change.
        await Task.yield()
        for state in 1...3 {
            try machine?.send(state)
            await Task.yield()
        }
        machine = nil
        for reader in readers { #expect(await reader.value == [0, 1, 2, 3]) }
        #expect(await all(states) == [0, 1, 2, 3])
    }

    @Test func `a reader that is cancelled leaves the others`() async throws {
        var machine: StateMachine? = counter()
        let states = try #require(machine).states
        let (first, second) = (Task { await all(states) }, Task { await all(states) })
        await Task.yield()
        first.cancel()
        #expect(await first.value == [0])
        try machine?.send(1)
        machine = nil
        #expect(await second.value == [0, 1])
    }

    @Test
    func `sequences and streams end with the machine, also those that are asked for afterwards`()
        async throws
    {
        let machine = counter()
        let (states, stream, values) = (
            machine.states, machine.stream(), machine.derive { $0 }.stream()
        )
        try machine.send(1)
        machine.end()
        #expect(await all(states) == [0, 1])
        var seen: [Int] = []
        for await state in stream { seen.append(state) }
        for await value in values { seen.append(value) }
        #expect(seen == [0, 1, 0, 1])
        #expect(await all(machine.states) == [1])
        for await state in machine.stream() { seen.append(state) }
        for await value in machine.derive({ $0 }).stream() { seen.append(value) }
        #expect(seen == [0, 1, 0, 1, 1, 1])
    }

    @Test func `a stream of a value of two machines ends with the last of them`() async throws {
        var (a, b): (StateMachine<Int, Int>?, StateMachine<Int, Int>?) = (counter(), counter())
        let stream = derive(a!.derive { $0 }, b!.derive { $0 }) { $0 + $1 }.stream()
        a = nil
        try b?.send(5)
        b = nil
        var seen: [Int] = []
        for await value in stream { seen.append(value) }
        #expect(seen == [0, 5])
    }

    @Test func `the result of a handler that returns after the end of its machine is late`()
        async throws
    {
        try await Self.endBeforeResult(isolation: MainActor.shared)
    }

    @Test func `on no actor the result of a handler after the end of its machine is late, too`()
        async throws
    {
        try await Self.endOnNoActor()
    }

    private nonisolated static func endOnNoActor() async throws {
        try await endBeforeResult(isolation: nil)
    }

    private static func endBeforeResult(isolation: isolated (any Actor)?) async throws {
        let clock = VirtualClock()
        let app = StateMachine(Startup(), on: clock)
        var reasons: [Reason] = []
        app.didRefuse = { reasons.append($0.reason) }
        let (results, result) = AsyncStream.makeStream(of: Bool.self)
        app.handle(.loadSession, isolation: isolation) {
            // A task of its own is not cancelled with the handler.
            let hasSession = Task {
                for await hasSession in results { return hasSession }
                return false
            }
            return .hydrateSucceeded(hasSession: await hasSession.value)
        }
        try app.send(.didLaunch)
        app.end()
        result.yield(true)
        await app.finishHandlers(isolation: isolation)
        #expect(reasons == [.stale])
        #expect(app.place.state == "hydrating" && clock.pending.isEmpty)
    }
}
