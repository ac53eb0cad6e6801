import GameFlow
import GameFlowHosting
import ShippedFlows
import Testing

/// A host that its program does not use any more.
@Suite struct HostReleaseTests {
    private let clock = ManualClock()
    private let store = MemoryStore()

    private func newHost(_ store: (any SnapshotStore)? = nil) -> SessionHost<Startup> {
        SessionHost(Startup(), store: store ?? self.store, clock: clock) { [clock] in clock.wallTime
        }
    }

    /// Lets other tasks run until the condition is true, and expects that it becomes true.
    private func until(_ condition: () -> Bool) async throws {
        for _ in 0..<100_000 {
            if condition() { return }
            await Task.yield()
        }
        try #require(condition())
    }

    @Test func `a host that is released fires no timer, saves nothing, and ends its readers`()
        async throws
    {
        var host: SessionHost<Startup>? = newHost()
        try await host?.open("a")
        try await host?.send(.didLaunch, to: "a")
        let changes = try #require(await host?.changes(of: "a"))
        await clock.waitForSleeper()
        weak let gone = host
        host = nil
        try await until { gone == nil }
        clock.advance(by: .seconds(10))
        for _ in 0..<1000 { await Task.yield() }
        #expect(await store.saves == 2)
        var count = 0
        for await _ in changes { count += 1 }
        #expect(count == 1)
        #expect(try await newHost().restore() == ["a"])
    }

    @Test func `a host is released after a firing`() async throws {
        var host: SessionHost<Startup>? = newHost()
        try await host?.open("a")
        try await host?.send(.didLaunch, to: "a")
        var changes = try #require(await host?.changes(of: "a")).makeAsyncIterator()
        _ = await changes.next()
        await clock.waitForSleeper()
        clock.advance(by: .seconds(10))
        _ = await changes.next()
        weak let gone = host
        host = nil
        try await until { gone == nil }
        #expect(await changes.next() == nil)
    }

    @Test func `a host is released while a firing is being saved`() async throws {
        let process = HeldStore(store)
        var host: SessionHost<Startup>? = newHost(process)
        try await host?.open("a")
        try await host?.send(.didLaunch, to: "a")
        await clock.waitForSleeper()
        await process.hold()
        clock.advance(by: .seconds(10))
        await process.waitForSave()
        weak let gone = host
        host = nil
        try await until { gone == nil }
        await process.end()
    }

    /// An actor that makes its machine in one of its methods.
    private actor Owner {
        private var machine: StateMachine<Startup.State, Startup.Event>?

        func makeMachine() throws {
            let machine = StateMachine(Startup())
            try machine.send(.didLaunch)
            self.machine = machine
        }
    }

    @Test func `an actor that makes its machine in a method is released`() async throws {
        var owner: Owner? = Owner()
        try await owner?.makeMachine()
        weak let gone = owner
        owner = nil
        try await until { gone == nil }
    }

    @Test func `a host is released although its store does not work`() async throws {
        var host: SessionHost<Startup>? = newHost()
        try await host?.open("a")
        try await host?.send(.didLaunch, to: "a")
        await clock.waitForSleeper()
        await store.fail(true)
        clock.advance(by: .seconds(10))
        // The firing is saved again after a pause.
        await clock.waitForSleeper()
        weak let gone = host
        host = nil
        try await until { gone == nil }
        await store.fail(false)
        clock.advance(by: .seconds(30))
        for _ in 0..<1000 { await Task.yield() }
        #expect(await store.saves == 2)
    }
}
