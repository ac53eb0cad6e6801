import Foundation
import GameFlow
import GameFlowHosting
import ShippedFlows
import TestSupport
import Testing

/// What a host does with the machines of its store that are not open.
@Suite struct RestoringTests {
    private let clock = ManualClock()
    private let store = MemoryStore()

    private func newHost(_ store: any SnapshotStore) -> SessionHost<Vigil> {
        SessionHost(Vigil(), store: store, clock: clock) { [clock] in clock.wallTime }
    }

    /// A store with a machine "a" that has heard a note.
    private func fill() async throws {
        let host = newHost(store)
        try await host.open("a")
        try await host.send(.note, to: "a")
    }

    /// A host that restores, and whose store has yet to answer.
    private func beginToRestore(_ process: HeldStore, _ host: SessionHost<Vigil>) async
        -> Task<[String], any Error>
    {
        await process.holdLoads()
        let restoring = Task { try await host.restore() }
        await process.waitForLoad()
        return restoring
    }

    /// Begins something on the host. When this returns, it waits for the store or is over.
    private func start<Result: Sendable>(
        _ host: isolated SessionHost<Vigil>, _ work: @escaping @Sendable () async throws -> Result
    ) async -> Task<Result, any Error> {
        let task = Task {
            _ = host.names
            return try await work()
        }
        for _ in 0..<10 { await Task { _ = host.names }.value }
        return task
    }

    @Test func `a machine of the store is not replaced by one that is opened before a restore`()
        async throws
    {
        try await fill()
        let host = newHost(store)
        do {
            try await host.open("a")
            Issue.record("it was opened")
        } catch let refusal as HostRefusal {
            #expect(refusal == .exists)
            #expect("\(refusal)" == "the store has a machine of this name; restore it")
        }
        try await host.open("b")
        #expect(try await host.restore() == ["a"])
        #expect(await host.state(of: "a")?.heard == "note")
        try await host.close("a")
        try await host.open("a")
        #expect(await host.state(of: "a")?.heard == "")
    }

    @Test func `a machine that is opened during a restore does not replace one of the store`()
        async throws
    {
        try await fill()
        let process = HeldStore(store)
        let host = newHost(process)
        let restoring = await beginToRestore(process, host)
        let opening = await start(host) { try await host.open("a") }
        let note = await start(host) { try await host.send(.note, to: "a") }
        await process.endLoads()
        #expect(try await restoring.value == ["a"])
        await #expect(throws: HostRefusal.exists) { try await opening.value }
        #expect(try await note.value.heard == "note note")
    }

    @Test func `a machine that is closed during a restore stays closed`() async throws {
        let process = HeldStore(store)
        let host = newHost(process)
        try await host.open("a")
        let restoring = await beginToRestore(process, host)
        try await host.close("a")
        await process.endLoads()
        #expect(try await restoring.value == [])
        #expect(await host.names == [])
        #expect(try await store.load().isEmpty)
        try await host.open("a")
    }

    @Test func `a machine of the store that is closed during the restore is removed after it`()
        async throws
    {
        try await fill()
        let process = HeldStore(store)
        let host = newHost(process)
        let restoring = await beginToRestore(process, host)
        let closing = await start(host) { try await host.close("a") }
        await process.endLoads()
        #expect(try await restoring.value == ["a"])
        try await closing.value
        #expect(await host.names == [])
        #expect(try await store.load().isEmpty)
    }

    @Test func `a machine that is opened and closed during a restore does not come back`()
        async throws
    {
        let process = HeldStore(store)
        let host = newHost(process)
        let restoring = await beginToRestore(process, host)
        let visit = await start(host) {
            try await host.open("b")
            try await host.close("b")
        }
        let second = await start(host) { try await host.restore() }
        await process.endLoads()
        #expect(try await restoring.value == [])
        try await visit.value
        #expect(try await second.value == [])
        #expect(await host.names == [])
    }

    @Test func `names are compared by their bytes, also in files`() async throws {
        let folder = Folder()
        let host = newHost(try FileSnapshotStore(folder.path))
        let names = ["cafe\u{301}", "caf\u{e9}"]
        for name in names { try await host.open(name) }
        try await host.send(.note, to: names[0])
        #expect(await host.state(of: names[1])?.heard == "")
        #expect(await host.names.map { Array($0.utf8) } == names.map { Array($0.utf8) })
        let next = newHost(try FileSnapshotStore(folder.path))
        #expect(try await next.restore().map { Array($0.utf8) } == names.map { Array($0.utf8) })
        #expect(await next.state(of: names[0])?.heard == "note")
        try await next.close(names[0])
        #expect(await next.state(of: names[1])?.heard == "")
    }

    /// A number of a snapshot, and a value that it cannot have.
    private static let impossible: [(key: String, value: Int64)] =
        [
            "changes", "entry", "savedNs", "totalNs", "untilNs", "order", "atNs", "sinceNs",
            "dateNs", "deadlineNs", "second",
        ].map { ($0, .max) }
        + ["changes", "entry", "savedNs", "totalNs", "atNs", "second"].map { ($0, -1) }

    @Test(arguments: impossible)
    func `a stored number that is impossible is refused`(_ key: String, _ value: Int64) async throws
    {
        let host = newHost(store)
        try await host.open("a", at: .alarm)
        try await host.send(.leave, to: "a")
        let snapshot = try #require(try await store.load()["a"])
        let text = String(decoding: try JSONEncoder().encode(snapshot), as: UTF8.self)
        let number = try Regex("\"\(key)\":-?[0-9]+")
        #expect(text.contains(number))
        let changed = text.replacing(number, with: "\"\(key)\":\(value)")
        let damaged = try JSONDecoder().decode(MachineSnapshot.self, from: Data(changed.utf8))
        try await store.save(damaged, of: "a")
        let next = newHost(store)
        do {
            try await next.restore()
            Issue.record("it was accepted")
        } catch let refusal as HostRefusal {
            #expect(refusal == .invalid)
            #expect("\(refusal)".hasPrefix("a: "))
        }
        #expect(await next.names == [])
    }
}
