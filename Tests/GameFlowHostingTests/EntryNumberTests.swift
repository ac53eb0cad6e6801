import Foundation
import GameFlowHosting
import ShippedFlows
import Testing

/// The numbers of the visits of a host's machines, and requests for a visit that is over.
@Suite struct EntryNumberTests {
    private let clock = ManualClock()
    private let store = MemoryStore()

    private func newHost(_ startingAt: Duration? = nil) -> SessionHost<Startup> {
        SessionHost(Startup(), store: store, clock: clock) { [clock] in
            startingAt ?? clock.wallTime
        }
    }

    private func entry(_ name: String, _ host: SessionHost<Startup>) async throws -> Int {
        var changes = await host.changes(of: name).makeAsyncIterator()
        return try #require(await changes.next()).entry
    }

    private func expectStale(_ entry: Int, _ name: String, _ host: SessionHost<Startup>) async {
        await #expect(throws: HostRefusal.stale) {
            try await host.send(.didLaunch, to: name, entry: entry)
        }
    }

    @Test func `an event for a machine that was closed is stale for the next one of its name`()
        async throws
    {
        let host = newHost()
        try await host.open("a")
        let first = try await entry("a", host)
        try await host.close("a")
        try await host.open("a")
        await expectStale(first, "a", host)
        try await host.send(.didLaunch, to: "a", entry: try await entry("a", host))
    }

    @Test func `machines of a host have no number in common`() async throws {
        let host = newHost()
        try await host.open("a")
        try await host.open("b")
        try await host.send(.didLaunch, to: "a")
        await expectStale(try await entry("a", host), "b", host)
        await expectStale(try await entry("b", host), "a", host)
    }

    @Test func `a number of a machine that was closed is not used after a restart`() async throws {
        let host = newHost()
        try await host.open("a")
        let first = try await entry("a", host)
        try await host.close("a")
        clock.advance(by: .milliseconds(1))
        let next = newHost()
        #expect(try await next.restore() == [])
        try await next.open("a")
        await expectStale(first, "a", next)
    }

    @Test func `numbers go on after the largest of the store if the system's clock was set back`()
        async throws
    {
        let host = newHost()
        try await host.open("a")
        try await host.open("b")
        try await host.send(.didLaunch, to: "b")
        let last = try await entry("b", host)
        let next = newHost(.zero)
        try await next.open("c")
        #expect(try await entry("c", next) > last)
        try await next.restore()
        #expect(try await entry("b", next) == last)
        try await next.open("d")
        #expect(try await entry("d", next) > entry("c", next))
    }

    @Test func `a number of a change that was undone is not used again`() async throws {
        let host = newHost()
        try await host.open("a")
        await store.fail(true)
        await #expect(throws: HostRefusal.storage) { try await host.send(.didLaunch, to: "a") }
        await store.fail(false)
        let before = try await entry("a", host)
        try await host.send(.didLaunch, to: "a")
        #expect(try await entry("a", host) > before + 1)
    }

    @Test func `a snapshot whose numbers begin at 1 opens, and later numbers are greater`()
        async throws
    {
        let text = """
            {"answers":[{"data":[],"id":"k","state":"launching"}],"changes":3,"data":[],"entry":2,
            "flow":"startup","moments":[],"savedNs":1600000000000000000,"state":"launching",
            "timers":[],"waiting":[]}
            """
        let old = try JSONDecoder().decode(MachineSnapshot.self, from: Data(text.utf8))
        try await store.save(old, of: "a")
        let host = newHost()
        #expect(try await host.restore() == ["a"])
        #expect(try await entry("a", host) == 2)
        try await host.send(.didLaunch, to: "a", entry: 2)
        await expectStale(2, "a", host)
        #expect(try await entry("a", host) > 3)
    }
}
