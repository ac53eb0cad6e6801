internal import Journal
internal import SQLiteStore
internal import TestSupport

extension Explorer {
    /// Cuts the power before an operation of a workload, and checks the journal. `point` is the number of this power cut, and
    /// `state` the disk before the operation.
    func cut(_ workload: Workload, _ point: Int, _ state: CutState) {
        var random = seedRandomness(workload, point)
        do {
            // `restore` and `continueUse` throw a `Finding` if the journal does not contain the expected rows.
            let user = try restore(state, workload.device, &random)
            // Sometimes the journal is used again, and the power is cut a second time.
            if random.below(6) == 0 { try continueUse(user, workload.device, &random) }
        } catch { addViolation(error, workload, point, "cut before \(Self.text(state.operation))") }
    }

    /// Cuts the power, opens the journal on the damaged disk, and checks its rows. Returns the user of the open journal.
    func restore(
        _ state: CutState, _ device: Device, _ random: inout SeededRandom
    ) throws -> JournalUser {
        var damage = Damage(SeededRandom(random.next()), device)
        let image = damage.image(of: state.disk)
        // A fault that is still active ends with the power cut; its errors are counted here.
        tally.faults += vfs.fault?.count ?? 0
        vfs.insert(SimulatedDisk(image), device)
        vfs.trace?("the power is cut before \(Self.text(state.operation))")
        let user = JournalUser(vfs, SeededRandom(random.next()), injectedFault, state.expected)
        tally.cuts += 1
        tally.damage += damage.tally
        // Sometimes also records the states during the opening. Then `continueUse` can cut the power a second time in one of
        // these states.
        if random.below(4) == 0 { user.recordStates() }
        try user.open()
        try user.verify()
        tally.rows += user.expected.acknowledged.count
        return user
    }

    /// Appends batches, closes the journal, checks it, and opens it again. Then goes back to the state before one
    /// of the recorded operations, and cuts the power there. Operations are recorded until the journal is closed.
    func continueUse(_ user: JournalUser, _ device: Device, _ random: inout SeededRandom) throws {
        user.recordStates()
        try user.perform(Workload.batch(&random))
        if random.below(2) == 0 { try user.perform(.checkpoint) }
        try user.perform(Workload.batch(&random))
        user.close()
        user.stopRecording()
        try checkIntegrity()
        try user.open()
        try user.verify()
        user.close()
        tally.laterCuts += 1
        let state = random.pick(user.states)
        do { _ = try restore(state, device, &random) } catch {
            throw Finding(
                "\(Self.text(error)), after a second cut before \(Self.text(state.operation))")
        }
    }

    /// Lets SQLite check the closed database.
    private func checkIntegrity() throws {
        tally.integrityChecks += 1
        let path = "\(JournalUser.directory)/\(JournalFile.name)"
        if let message = IntegrityCheck.errorMessage(path, vfs.name) { throw Finding(message) }
    }

    /// Records a violation. `at` says in words where the power was cut, or where the disk failed.
    func addViolation(_ error: any Error, _ workload: Workload, _ point: Int, _ at: String) {
        violations.append(
            Violation(seed: workload.seed, point: point, message: Self.text(error), at: at))
    }

    static func text(_ error: any Error) -> String {
        (error as? Finding)?.message ?? "\(error)"
    }

    static func text(_ operation: DiskOperation?) -> String {
        operation.map { "\($0)" } ?? "nothing more"
    }
}
