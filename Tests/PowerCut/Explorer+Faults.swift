internal import Journal
internal import SQLiteStore
internal import TestSupport

extension Explorer {
    /// Lets an operation of the disk fail, and sometimes also all later operations until the journal is closed. Then cuts the
    /// power, or opens the journal again and removes the rows that were not acknowledged. After that uses the journal again,
    /// and cuts the power. `point` is the number of this disk error, and `operation` the number of the operation in the
    /// workload.
    func fail(_ workload: Workload, _ point: Int, at operation: Int) {
        // The random numbers are the same as in the run without errors. So both runs are equal up to this operation.
        let userRandom = seedRandomness(workload, 0)
        vfs.insert(SimulatedDisk(), workload.device)
        var user = JournalUser(vfs, userRandom, injectedFault)
        var random = SeededRandom(workload.seed ^ UInt64(point) << 20)
        tally.runsWithFaults += 1
        do {
            vfs.fault = diskFault(at: operation, workload.device, &random)
            // The journal reports an error, unless the failed operation was not important.
            do throws(SQLiteError) { try user.run(workload.steps) } catch {
                tally.reportedErrors += 1
            }
            if random.below(4) == 0 {
                tally.laterCuts += 1
                let state = user.state
                // The journal must be closed before the disk is replaced.
                user.close()
                user = try restore(state, workload.device, &random)
            } else {
                try recover(user, workload.device, &random)
            }
            try continueUse(user, workload.device, &random)
        } catch { addViolation(error, workload, point, "error at operation \(operation)") }
    }

    /// Recovers the journal. Sometimes makes a first recovery in which an operation can fail, and then a second recovery
    /// without a failure.
    private func recover(
        _ user: JournalUser, _ device: Device, _ random: inout SeededRandom
    ) throws {
        user.close()
        endFault()
        if random.below(3) == 0 {
            vfs.fault = diskFault(at: vfs.operations + random.below(20), device, &random)
            do { try user.recover() } catch is SQLiteError { tally.reportedErrors += 1 }
            user.close()
            endFault()
        }
        user.recordStates()
        try user.recover()
    }

    /// A disk error at the operation with this number.
    private func diskFault(
        at operation: Int, _ device: Device, _ random: inout SeededRandom
    ) -> Fault {
        Fault(
            at: operation, SeededRandom(random.next()), device, losesFailedWrites: losesFailedWrites
        )
    }

    private func endFault() {
        tally.faults += vfs.fault?.count ?? 0
        vfs.fault = nil
    }
}
