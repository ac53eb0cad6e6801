import GameFlow
import ShippedFlows
import Testing
import Timers

/// Handlers wait here until the test releases them.
private actor Gate {
    private var released: Set<Int> = []
    private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    private var arrivals = 0
    private var arrivalWaiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    /// Waits until the test releases this call, and returns the number of the call, counted from 1. Cancellation does not end
    /// the wait.
    func pass() async -> Int {
        arrivals += 1
        let number = arrivals
        arrivalWaiters.removeAll { waiter in
            guard waiter.count <= arrivals else { return false }
            waiter.continuation.resume()
            return true
        }
        if !released.contains(number) {
            await withCheckedContinuation { waiting[number] = $0 }
        }
        return number
    }

    func release(_ number: Int) {
        released.insert(number)
        waiting.removeValue(forKey: number)?.resume()
    }

    /// Returns when `count` calls have arrived.
    func waitForArrivals(_ count: Int) async {
        guard arrivals < count else { return }
        await withCheckedContinuation { arrivalWaiters.append((count, $0)) }
    }
}

/// A flow whose effect has an argument.
private nonisolated struct Loader: ReducerFlow {
    enum StateName: String, CaseIterable, Sendable { case idle, loading, ready }
    typealias State = StateName

    enum Event: FlowEvent, Equatable, Sendable {
        case load, loaded, failed

        enum Effect: FlowEffect, Sendable {
            case load(level: Int)

            var arguments: [Member] {
                switch self {
                case .load(let level): [Member("level", level)]
                }
            }
        }
    }

    var events: [EventSchema<Event>] { EventSchema.plain(.load, .loaded, .failed) }

    func reduce(_ state: State, _ event: Event) -> State? {
        switch (state, event) {
        case (.idle, .load), (.ready, .load): .loading
        case (.loading, .loaded): .ready
        case (.loading, .failed): .idle
        default: nil
        }
    }

    func effect(_ state: State, _ event: Event) -> Event.Effect? {
        event == .load ? .load(level: 2) : nil
    }
}

/// An asynchronous handler of an effect belongs to the entry that asked for the effect. A result that arrives in a later entry
/// is refused as stale.
@Suite struct EffectHandlerTests {
    private let clock = VirtualClock()

    @Test func `a handler's result is sent as an event`() async throws {
        let app = StateMachine(Startup(), on: clock)
        app.handle(.loadSession) { .hydrateSucceeded(hasSession: false) }
        try app.send(.didLaunch)
        await app.finishHandlers()
        #expect(app.place.state == "needsLogin")
        try app.send(.loginRequested)
        app.end()
        #expect(clock.pending.isEmpty)
    }

    /// While the handler works, the state is left and entered again. The two calls of the handler return in either order.
    @Test(arguments: [[1, 2], [2, 1]])
    func `a result of an earlier entry is never delivered to a later entry`(_ order: [Int])
        async throws
    {
        let gate = Gate()
        let app = StateMachine(Startup(), on: clock)
        var staleCount = 0
        app.didRefuse = { if $0.reason == .stale { staleCount += 1 } }
        // Only the second call finds a session, and only its result leads to `ready`.
        app.handle(.loadSession) { .hydrateSucceeded(hasSession: await gate.pass() == 2) }
        try app.send(.didLaunch)
        await gate.waitForArrivals(1)
        clock.advance(by: .seconds(10))  // the state limits the time for loading
        #expect(app.place.state == "error")
        try app.send(.retry)
        await gate.waitForArrivals(2)
        for number in order { await gate.release(number) }
        await app.finishHandlers()
        #expect(app.place.state == "ready")
        #expect(staleCount == 1)
        app.end()
        #expect(clock.pending.isEmpty)
    }

    @Test func `leaving the state cancels the handler`() async throws {
        let app = StateMachine(Startup(), on: clock)
        app.handle(.loadSession) {
            while !Task.isCancelled { await Task.yield() }
            return nil
        }
        try app.send(.didLaunch)
        clock.advance(by: .seconds(10))
        await app.finishHandlers()
        #expect(app.place.state == "error")
        app.end()
        #expect(clock.pending.isEmpty)
    }

    @Test @MainActor func `on an actor the result is sent without a call of finishHandlers`()
        async throws
    {
        let app = StateMachine(Startup(), on: clock)
        app.handle(.loadSession) { .hydrateSucceeded(hasSession: true) }
        let states = app.states
        try app.send(.didLaunch)
        var seen: [String] = []
        for await state in states {
            seen.append(String("\(state)".prefix { $0 != "(" }))
            if seen.last == "ready" { break }
        }
        #expect(seen.last == "ready")
        app.end()
        #expect(clock.pending.isEmpty)
    }

    @Test func `a handler of a name gets the arguments; a handler of an exact effect precedes it`()
        async throws
    {
        let loader = StateMachine(Loader(), on: clock)
        loader.handle(named: "load") { arguments in
            arguments["level"] == .int(2) ? .loaded : nil
        }
        try loader.send(.load)
        await loader.finishHandlers()
        #expect(loader.place.state == "ready")
        loader.handle(.load(level: 2)) { .failed }
        try loader.send(.load)
        await loader.finishHandlers()
        #expect(loader.place.state == "idle")
        loader.end()
        #expect(clock.pending.isEmpty)
    }
}
