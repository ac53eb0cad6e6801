import Foundation
import ShippedFlows
import Synchronization
import TestSupport
import Testing

@testable import GameFlowHosting

/// Files, and the entries of their directory.
@Suite struct FileSnapshotStoreTests {
    /// Counts how often the entries of a directory are made durable, and what it has then.
    private final class Disk: Sendable {
        struct Failure: Error {}
        private let synchronized = Mutex<[(path: String, files: [String])]>([])
        private let isFailing = Mutex(false)

        var paths: [String] { synchronized.withLock { $0.map(\.path) } }
        var newest: [String] { synchronized.withLock { $0.last?.files ?? [] } }

        func fail() { isFailing.withLock { $0 = true } }

        @Sendable func synchronize(_ directory: URL) throws {
            if isFailing.withLock({ $0 }) { throw Failure() }
            let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            synchronized.withLock { $0.append((directory.path, files)) }
        }
    }

    private let folder = Folder()
    private let disk = Disk()

    private func newStore() throws -> FileSnapshotStore {
        try FileSnapshotStore("\(folder.path)/machines", synchronize: disk.synchronize)
    }

    @Test func `a new file and a removed one are durable when the store says so`() async throws {
        let host = SessionHost(Startup(), store: try newStore())
        try await host.open("a")
        #expect(disk.newest == ["a.json"])
        try await host.open("b")
        #expect(Set(disk.newest) == ["a.json", "b.json"])
        try await host.close("a")
        #expect(disk.newest == ["b.json"])
    }

    @Test func `a new directory is durable with those above it`() throws {
        _ = try FileSnapshotStore("\(folder.path)/one/two", synchronize: disk.synchronize)
        #expect(Set(disk.paths) == [folder.path, "\(folder.path)/one"])
        _ = try FileSnapshotStore("\(folder.path)/one/two", synchronize: disk.synchronize)
        #expect(disk.paths.count == 2)
    }

    @Test func `a change whose entry is not durable is refused, and the file has what it had`()
        async throws
    {
        let store = try newStore()
        let host = SessionHost(Startup(), store: store)
        try await host.open("a")
        let before = try await store.load()
        disk.fail()
        await #expect(throws: HostRefusal.storage) { try await host.send(.didLaunch, to: "a") }
        await #expect(throws: HostRefusal.storage) { try await host.close("a") }
        await #expect(throws: HostRefusal.storage) { try await host.open("b") }
        #expect(try await store.load() == before)
    }

    @Test func `an empty file is removed with its machine`() async throws {
        let store = try newStore()
        try Data().write(to: URL(fileURLWithPath: "\(folder.path)/machines/a.json"))
        try await store.save(nil, of: "a")
        #expect(disk.newest == [])
        #expect(try await store.load().isEmpty)
    }

    @Test func `each error names the file`() async throws {
        let store = try newStore()
        let directory = "\(folder.path)/machines"
        let message = { (work: () async throws -> Void) async -> String in
            do { try await work() } catch { return "\(error)" }
            return "no error"
        }
        // A text that is no snapshot, and a directory in place of a file.
        try Data("{}".utf8).write(to: URL(fileURLWithPath: "\(directory)/a.json"))
        #expect(await message { _ = try await store.load() }.hasPrefix("\(directory)/a.json: "))
        let host = SessionHost(Startup(), store: store)
        #expect(await message { try await host.restore() }.hasPrefix("\(directory)/a.json: "))
        try FileManager.default.removeItem(atPath: "\(directory)/a.json")
        try FileManager.default.createDirectory(
            atPath: "\(directory)/b.json", withIntermediateDirectories: false)
        #expect(await message { _ = try await store.load() }.hasPrefix("\(directory)/b.json: "))
        #expect(
            await message { try await store.save(nil, of: "b") }.hasPrefix("\(directory)/b.json: "))
        try FileManager.default.removeItem(atPath: directory)
        #expect(await message { _ = try await store.load() }.hasPrefix("\(directory): "))
        try Data().write(to: URL(fileURLWithPath: directory))
        #expect(await message { try await host.restore() }.hasPrefix("\(directory): "))
        #expect(
            await message { _ = try FileSnapshotStore(directory + "/c") }.hasPrefix(
                "\(directory)/c: "))
    }

    @Test func `the entries of a directory that is missing cannot be durable`() throws {
        try DirectoryEntries.synchronize(URL(fileURLWithPath: folder.path))
        #expect(throws: POSIXError.self) {
            try DirectoryEntries.synchronize(URL(fileURLWithPath: "\(folder.path)/missing"))
        }
    }
}
