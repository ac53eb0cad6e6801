internal import Journal
internal import SQLiteStore
internal import TestSupport

extension Explorer {
    /// Cuts the power at a moment.
    func cut(_ workload: Workload, _ point: Int, _ moment: Moment) {
        var random = start(workload, point)
        do {
            let user = try find(moment, workload.device, &random)
            // Now and then life goes on, and the power is cut once more.
            if random.below(6) == 0 { try goOn(user, workload.device, &random) }
        } catch { note(error, workload, point, "cut before \(Self.text(moment.operation))") }
    }

    /// Cuts the power, and looks at what is found when it is back.
    func find(
        _ moment: Moment, _ device: Device, _ random: inout SeededRandom
    ) throws -> JournalUser {
        var damage = Damage(SeededRandom(random.next()), device)
        let image = damage.left(of: moment.disk)
        // An error that still goes on does so no more.
        tally.faults += vfs.fault?.count ?? 0
        vfs.insert(SimulatedDisk(image), device)
        vfs.trace?("the power is cut before \(Self.text(moment.operation))")
        let user = JournalUser(vfs, SeededRandom(random.next()), fault, moment.promise)
        tally.cuts += 1
        tally.damage += damage.tally
        if random.below(4) == 0 { user.watch() }
        try user.open()
        try user.look()
        tally.rows += user.promise.settled.count
        return user
    }

    /// Appends, closes, and looks again; then cuts the power somewhere on the way there.
    func goOn(_ user: JournalUser, _ device: Device, _ random: inout SeededRandom) throws {
        user.watch()
        try user.take(Workload.batch(&random))
        if random.below(2) == 0 { try user.take(.checkpoint) }
        try user.take(Workload.batch(&random))
        user.close()
        user.watchNoMore()
        try check()
        try user.open()
        try user.look()
        user.close()
        tally.laterCuts += 1
        let moment = random.pick(user.moments)
        do { _ = try find(moment, device, &random) } catch {
            throw Finding(
                "\(Self.text(error)), after a second cut before \(Self.text(moment.operation))")
        }
    }

    private func check() throws {
        tally.integrityChecks += 1
        let path = "\(JournalUser.directory)/\(JournalFile.name)"
        if let complaint = IntegrityCheck.complaint(path, vfs.name) { throw Finding(complaint) }
    }

    func note(_ error: any Error, _ workload: Workload, _ point: Int, _ at: String) {
        violations.append(
            Violation(seed: workload.seed, point: point, what: Self.text(error), at: at))
    }

    static func text(_ error: any Error) -> String {
        (error as? Finding)?.what ?? "\(error)"
    }

    static func text(_ operation: DiskOperation?) -> String {
        operation.map { "\($0)" } ?? "nothing more"
    }
}
