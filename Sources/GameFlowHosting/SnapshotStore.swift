/// Where a `SessionHost` keeps its machines: a file, a table of a database, anything that can keep some text for a name.
public protocol SnapshotStore: Sendable {
    /// Keeps the snapshot of a machine in place of its earlier one; nil removes it. Returns when the snapshot is durable. If it
    /// throws, the earlier snapshot must still be there.
    func save(_ snapshot: MachineSnapshot?, of name: String) async throws
    /// Returns all snapshots that are kept, by the names of their machines.
    func load() async throws -> [String: MachineSnapshot]
    /// The same as a list. Names are compared by their bytes, and a dictionary compares its keys otherwise: of two names that differ
    /// only in how an é is composed, it keeps one. A store that can tell such names apart implements this.
    func loadAll() async throws -> [(name: String, snapshot: MachineSnapshot)]
}

extension SnapshotStore {
    /// The snapshots of `load`.
    public func loadAll() async throws -> [(name: String, snapshot: MachineSnapshot)] {
        try await load().map { (name: $0.key, snapshot: $0.value) }
    }
}
