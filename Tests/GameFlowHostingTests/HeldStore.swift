import GameFlowHosting

/// The way of one process to a store, on which a test holds up each save until it says how the save ends.
actor HeldStore: SnapshotStore {
    private enum Mode { case open, holding, dead }

    private let store: MemoryStore
    private var mode = Mode.open
    private var held: [CheckedContinuation<Bool, Never>] = []
    private var holdsLoads = false
    private var heldLoads: [CheckedContinuation<Void, Never>] = []

    init(_ store: MemoryStore) { self.store = store }

    func save(_ snapshot: MachineSnapshot?, of name: String) async throws {
        let succeeds =
            switch mode {
            case .open: true
            case .holding: await withCheckedContinuation { held.append($0) }
            case .dead: false
            }
        if !succeeds { throw MemoryStore.Failure() }
        try await store.save(snapshot, of: name)
    }

    func load() async throws -> [String: MachineSnapshot] {
        let snapshots = try await store.load()
        if holdsLoads { await withCheckedContinuation { heldLoads.append($0) } }
        return snapshots
    }

    /// Holds up the answers of the loads from now on.
    func holdLoads() { holdsLoads = true }

    /// Waits until the answer of a load is held up.
    func waitForLoad() async { while heldLoads.isEmpty { await Task.yield() } }

    /// Gives the answers that are held up, and holds up none any more.
    func endLoads() {
        holdsLoads = false
        for load in heldLoads { load.resume() }
        heldLoads = []
    }

    /// Holds up the saves from now on.
    func hold() { mode = .holding }

    /// Waits until a save is held up.
    func waitForSave() async { while held.isEmpty { await Task.yield() } }

    /// Waits until a save is held up, and ends it.
    func end(_ succeeds: Bool = true) async {
        await waitForSave()
        held.removeFirst().resume(returning: succeeds)
    }

    /// Ends the process: from now on, and of the saves that are held up, nothing reaches the store.
    func kill() {
        mode = .dead
        for save in held { save.resume(returning: false) }
        held = []
    }

    /// Lets the saves through again, also those that are held up.
    func open() {
        mode = .open
        for save in held { save.resume(returning: true) }
        held = []
    }
}
