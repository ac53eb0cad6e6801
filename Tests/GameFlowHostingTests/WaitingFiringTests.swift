import GameFlow
import GameFlowHosting
import Testing

/// Firings that wait for a save when their process ends, or when a change is undone.
@Suite struct WaitingFiringTests {
    private static let kinds = Vigil.StateName.allCases.filter { $0 != .ignored && $0 != .away }

    private let clock = ManualClock()
    private let store = MemoryStore()

    private func newHost(_ store: any SnapshotStore) -> SessionHost<Vigil> {
        SessionHost(Vigil(), store: store, clock: clock) { [clock] in clock.wallTime }
    }

    /// Fires the timers that are due, without a request to the machine.
    private func fireDueTimers(_ host: SessionHost<Vigil>) async {
        await #expect(throws: HostRefusal.unknown) { try await host.send(.note, to: "nobody") }
    }

    /// Begins to send an event. When this returns, the request waits for its turn or for the store.
    private func start(_ event: Vigil.Event, _ host: isolated SessionHost<Vigil>) async
        -> Task<Vigil.State, any Error>
    {
        let request = Task { try await host.send(event, to: "a") }
        // The tasks of an actor begin in the order in which they were made.
        await Task { _ = host.names }.value
        return request
    }

    /// Opens a machine, and sends it a note. When this returns, the change waits for the store.
    private func beginToSave(_ kind: Vigil.StateName) async throws -> (
        process: HeldStore, host: SessionHost<Vigil>, request: Task<Vigil.State, any Error>
    ) {
        let process = HeldStore(store)
        let host = newHost(process)
        try await host.open("a", at: kind)
        await process.hold()
        let request = await start(.note, host)
        await process.waitForSave()
        return (process, host, request)
    }

    /// What the machine has heard when it has heard `count` events and has nothing more to do. If a firing is lost, this gives up.
    private func heard(_ host: SessionHost<Vigil>, count: Int) async -> String {
        var attempts = 0
        while attempts < 20_000, await words(host) < count {
            attempts += 1
            await Task.yield()
        }
        // A firing too many would be carried out before this request.
        _ = try? await host.send(.note, to: "a")
        return await host.state(of: "a")?.heard ?? ""
    }

    private func words(_ host: SessionHost<Vigil>) async -> Int {
        await host.state(of: "a")?.heard.split(separator: " ").count ?? 0
    }

    @Test(arguments: kinds)
    func `a firing that waits when the process ends happens after the restart`(
        _ kind: Vigil.StateName
    ) async throws {
        let (process, host, request) = try await beginToSave(kind)
        clock.advance(by: .seconds(10))
        await fireDueTimers(host)
        await process.end()
        #expect(try await request.value.heard == "note")
        // The change of the bell is saved while the other firing waits, whose change is not.
        await process.end()
        await process.waitForSave()
        await process.kill()
        let next = newHost(store)
        try await next.restore()
        #expect(await next.state(of: "a")?.heard == "note bell")
        #expect(await heard(next, count: 3) == "note bell last note")
    }

    @Test(arguments: kinds)
    func `a firing that waits for a change happens once if the change is undone`(
        _ kind: Vigil.StateName
    ) async throws {
        let (process, host, first) = try await beginToSave(kind)
        let second = await start(.note, host)
        clock.advance(by: .seconds(10))
        await fireDueTimers(host)
        await process.end()
        _ = try await first.value
        await process.end(false)
        await process.open()
        await #expect(throws: HostRefusal.storage) { try await second.value }
        #expect(await heard(host, count: 3) == "note bell last note")
    }

    @Test(arguments: kinds)
    func `a firing during a save that fails happens once`(_ kind: Vigil.StateName) async throws {
        let (process, host, request) = try await beginToSave(kind)
        clock.advance(by: .seconds(10))
        await fireDueTimers(host)
        await process.end(false)
        await process.open()
        await #expect(throws: HostRefusal.storage) { try await request.value }
        #expect(await heard(host, count: 2) == "bell last note")
    }

    @Test(arguments: [true, false])
    func `each beat that waits happens, also if the change before it is undone`(_ isSaved: Bool)
        async throws
    {
        let (process, host, request) = try await beginToSave(.pendulum)
        for _ in 0..<3 {
            clock.advance(by: .seconds(10))
            await fireDueTimers(host)
        }
        let between = await start(.note, host)
        clock.advance(by: .seconds(10))
        await fireDueTimers(host)
        await process.end(isSaved)
        await process.open()
        _ = await request.result
        #expect(try await between.value.heard.hasSuffix("bell last last last note"))
        let words = "\(isSaved ? "note " : "")bell last last last note last note"
        #expect(await heard(host, count: isSaved ? 7 : 6) == words)
    }

    @Test(arguments: kinds)
    func `what waits keeps its order when a save fails`(_ kind: Vigil.StateName) async throws {
        let (process, host, request) = try await beginToSave(kind)
        let before = await start(.note, host)
        clock.advance(by: .seconds(10))
        await fireDueTimers(host)
        let after = await start(.note, host)
        await process.end(false)
        await process.open()
        await #expect(throws: HostRefusal.storage) { try await request.value }
        #expect(try await before.value.heard == "note")
        #expect(try await after.value.heard == "note bell last note")
    }

    @Test(arguments: kinds)
    func `a firing that waits when its state is left happens when the machine comes back`(
        _ kind: Vigil.StateName
    ) async throws {
        let (process, host, first) = try await beginToSave(kind)
        let second = await start(.leave, host)
        clock.advance(by: .seconds(10))
        await fireDueTimers(host)
        await process.open()
        _ = try await first.value
        #expect(try await second.value.kind == .away)
        clock.advance(by: .seconds(5))
        try await host.send(.comeBack, to: "a")
        // The alarm has kept its deadline, which is now before that of the bell.
        let words = kind == .alarm ? "note last bell note" : "note bell last note"
        #expect(await heard(host, count: 3) == words)
    }

    @Test
    func `a request beyond the limit of waiting requests is refused, and firings do not count`()
        async throws
    {
        let (process, host, request) = try await beginToSave(.countdown)
        clock.advance(by: .seconds(10))
        await fireDueTimers(host)
        var waiting: [Task<Vigil.State, any Error>] = []
        for _ in 0..<SessionHost<Vigil>.waitingLimit { waiting.append(await start(.note, host)) }
        await #expect(throws: HostRefusal.limit) { try await host.send(.note, to: "a") }
        await #expect(throws: HostRefusal.limit) { try await host.close("a") }
        await process.open()
        #expect(try await request.value.heard == "note")
        for request in waiting { _ = try await request.value }
        #expect(try await host.send(.leave, to: "a").kind == .away)
    }

    @Test func `a timer that has fired without a change does not begin again`() async throws {
        let process = HeldStore(store)
        let host = newHost(process)
        try await host.open("a", at: .ignored)
        clock.advance(by: .seconds(10))
        await fireDueTimers(host)
        // The opening, the bell, and the timer that is over.
        var attempts = 0
        while attempts < 20_000, await store.saves < 3 {
            attempts += 1
            await Task.yield()
        }
        await process.kill()
        let next = newHost(store)
        try await next.restore()
        try await next.send(.note, to: "a")
        clock.advance(by: .seconds(10))
        await fireDueTimers(next)
        #expect(await heard(next, count: 3) == "bell note note")
    }
}
