import ShippedFlows
import Support
import Testing

@testable import GameFlowHosting

/// A request with an id is carried out once, or refused.
@Suite struct RequestIDTests {
    private let clock = ManualClock()
    private let store = MemoryStore()

    /// A store that keeps nothing, and so is fast.
    private struct Sink: SnapshotStore {
        func save(_ snapshot: MachineSnapshot?, of name: String) {}
        func load() -> [String: MachineSnapshot] { [:] }
    }

    private func newHost(_ store: (any SnapshotStore)? = nil) -> SessionHost<Startup> {
        SessionHost(Startup(), store: store ?? self.store, clock: clock) { [clock] in clock.wallTime
        }
    }

    private func expectStale(_ id: String, _ host: SessionHost<Startup>) async {
        let saves = await store.saves
        do {
            try await host.send(.didLaunch, to: "a", id: id)
            Issue.record("\(id) was carried out or answered")
        } catch {
            #expect(error == .stale)
            #expect("\(error)" == "the answer to a request with this id is forgotten")
        }
        #expect(await store.saves == saves)
    }

    @Test func `an id whose answer is forgotten is refused`() async throws {
        let host = newHost(Sink())
        let link = "app://item/1"
        try await host.open("a")
        try await host.send(.didLaunch, to: "a", id: "first")
        try await host.send(.hydrateSucceeded(hasSession: true), to: "a", id: "second")
        for count in 2..<1024 {
            try await host.send(.deepLink(link: link), to: "a", id: "\(count)")
        }
        // 1 024 ids are remembered.
        try await host.send(.didLaunch, to: "a", id: "first")
        try await host.send(.closeLink, to: "a", id: "one more")
        await expectStale("first", host)
        try await host.send(.didLaunch, to: "a", id: "second")
    }

    @Test func `an id of a machine that was closed is refused by the next one of its name`()
        async throws
    {
        let host = newHost()
        try await host.open("a")
        try await host.open("b")
        try await host.send(.didLaunch, to: "a", id: "k")
        try await host.close("a")
        try await host.open("a")
        await expectStale("k", host)
        try await host.send(.didLaunch, to: "b", id: "k")
        try await host.send(.didLaunch, to: "a", id: "l")
    }

    @Test func `an id whose change was undone is free`() async throws {
        let host = newHost()
        try await host.open("a")
        await store.fail(true)
        await #expect(throws: HostRefusal.storage) {
            try await host.send(.didLaunch, to: "a", id: "k")
        }
        await store.fail(false)
        try await host.send(.didLaunch, to: "a", id: "k")
    }

    @Test func `an id has 1 to 64 characters`() async throws {
        let host = newHost()
        try await host.open("a")
        for id in [
            "", String(repeating: "x", count: 65), "x" + String(repeating: "\u{301}", count: 64),
        ] {
            await #expect(throws: HostRefusal.invalid) {
                try await host.send(.didLaunch, to: "a", id: id)
            }
        }
        try await host.send(.didLaunch, to: "a", id: String(repeating: "é", count: 64))
    }

    @Test func `ids are compared by their bytes`() async throws {
        let host = newHost()
        try await host.open("a")
        try await host.send(.didLaunch, to: "a", id: "caf\u{e9}")
        await #expect(throws: HostRefusal.refused) {
            try await host.send(.didLaunch, to: "a", id: "cafe\u{301}")
        }
    }

    @Test func `a host knows a limited number of forgotten ids, and drops the oldest`() {
        var ids = ForgottenIDs(limit: 3)
        let name = ByteText("a")
        for count in 0..<5 {
            ids.add(ByteText("\(count)"), of: name)
            ids.add(ByteText("\(count)"), of: name)
        }
        let known = (0..<5).filter { ids.contains(ByteText("\($0)"), of: name) }
        #expect(known == [2, 3, 4])
        #expect(!ids.contains(ByteText("4"), of: ByteText("b")))
    }
}
