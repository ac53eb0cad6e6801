import Foundation
import GameFlowHosting
import Synchronization

/// A store in memory, as JSON, that a test can let fail.
actor MemoryStore: SnapshotStore {
    struct Failure: Error {}

    private var texts: [String: Data] = [:]
    private(set) var saves = 0
    var isFailing = false

    func fail(_ isFailing: Bool) { self.isFailing = isFailing }

    func save(_ snapshot: MachineSnapshot?, of name: String) async throws {
        // Another task may run here, as with a real store.
        await Task.yield()
        if isFailing { throw Failure() }
        saves += 1
        texts[name] = try snapshot.map { try JSONEncoder().encode($0) }
    }

    func load() async throws -> [String: MachineSnapshot] {
        if isFailing { throw Failure() }
        return try texts.mapValues { try JSONDecoder().decode(MachineSnapshot.self, from: $0) }
    }
}

/// The way of one process to a store. After `kill`, the process saves nothing any more.
final class ProcessStore: SnapshotStore {
    private let store: MemoryStore
    private let isDead = Mutex(false)

    init(_ store: MemoryStore) { self.store = store }

    func kill() { isDead.withLock { $0 = true } }

    func save(_ snapshot: MachineSnapshot?, of name: String) async throws {
        if isDead.withLock({ $0 }) { throw MemoryStore.Failure() }
        try await store.save(snapshot, of: name)
    }

    func load() async throws -> [String: MachineSnapshot] { try await store.load() }
}
