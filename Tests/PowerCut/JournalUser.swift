package import Journal
package import SQLiteStore
package import TestSupport

/// Uses a journal on a simulated disk as the daemon does, and records the rows that it must contain.
package final class JournalUser {
    /// The directory of the journal on the simulated disk.
    static let directory = "/journal"

    private let vfs: SimulatedVFS
    private let injectedFault: InjectedFault?
    private var random: SeededRandom
    /// The open journal; nil while it is closed.
    private var file: JournalFile?
    /// The rows that the journal must contain now.
    package private(set) var expected: ExpectedRows
    /// The state before each operation, since `recordStates()` was called.
    package private(set) var states: [CutState] = []

    package init(
        _ vfs: SimulatedVFS, _ random: SeededRandom, _ fault: InjectedFault?,
        _ expected: ExpectedRows = ExpectedRows()
    ) {
        (self.vfs, self.random, self.expected) = (vfs, random, expected)
        injectedFault = fault
    }

    deinit { vfs.willPerform = nil }

    /// Records the state before each operation from now on.
    package func recordStates() {
        vfs.willPerform = { [unowned self] disk, operation in
            states.append(CutState(disk: disk, expected: expected, operation: operation))
        }
    }

    /// Records the state after the last operation, and stops recording.
    package func stopRecording() {
        vfs.willPerform = nil
        states.append(state)
    }

    // MARK: use

    /// Opens the journal, performs the steps, and closes it.
    package func run(_ steps: [Workload.Step]) throws(SQLiteError) {
        try open()
        for step in steps { try perform(step) }
        close()
    }

    package func open() throws(SQLiteError) {
        vfs.trace?("open")
        let disk: any JournalDisk = injectedFault.map { FaultyDisk(vfs, $0) } ?? vfs
        let path = "\(Self.directory)/\(JournalFile.name)"
        // The fault: the database is opened without the steps by which `JournalFile` treats the log of an earlier process.
        if injectedFault == .logKept, disk.exists(path) {
            try disk.dropCachedPages(of: "\(path)-wal")
            file = try JournalFile(existing: path, vfs: vfs.name)
            return try disk.syncDirectory(Self.directory)
        }
        file = try JournalFile(Self.directory, vfs: vfs.name, disk: disk)
    }

    package func close() {
        vfs.trace?("close")
        file = nil
    }

    package func perform(_ step: Workload.Step) throws(SQLiteError) {
        vfs.trace?("\(step)")
        switch step {
        case .append(let sizes):
            let batch = RowMaker.batch(sizes, after: expected.acknowledged, &random)
            expected.alternative = expected.acknowledged + batch
            try append(batch)
            acknowledge()
        case .checkpoint: try file!.checkpoint()
        case .fillIndex: _ = try file!.fillIndex { true }
        case .reopen:
            close()
            try open()
        case .convert:
            try file!.setNote("schema", "2")
            close()
            try open()
        case .remove(let percentLeft):
            try remove(after: expected.acknowledged.count * percentLeft / 100)
        }
    }

    private func append(_ batch: [JournalRow]) throws(SQLiteError) {
        guard injectedFault == .rowsOneByOne else {
            return try commit { file throws(SQLiteError) in try file.append(batch) }
        }
        for row in batch { try file!.append([row]) }
    }

    /// Calls `work`, whose effect must be durable when it returns.
    private func commit(_ work: (JournalFile) throws(SQLiteError) -> Void) throws(SQLiteError) {
        guard injectedFault == .commitNotSynced else { return try work(file!) }
        vfs.roleWithoutSync = .log
        defer { vfs.roleWithoutSync = nil }
        try work(file!)
    }

    /// Removes all rows after the first `count` rows.
    private func remove(after count: Int) throws(SQLiteError) {
        expected.alternative = Array(expected.acknowledged.prefix(count))
        try commit { file throws(SQLiteError) in try file.removeRows(after: count) }
        acknowledge()
    }

    /// Records that the pending operation was acknowledged.
    private func acknowledge() {
        expected = ExpectedRows(acknowledged: expected.alternative ?? expected.acknowledged)
    }

    /// Reads all rows.
    package func read() throws(SQLiteError) -> [JournalRow] {
        var rows: [JournalRow] = []
        try file!.rows {
            rows.append($0)
            return true
        }
        return rows
    }

    /// Reads the rows and checks that they are expected ones, and that they are found by session. From now on these rows count as
    /// acknowledged.
    package func verify() throws {
        let rows = try read()
        if let violation = expected.violation(rows) { throw Finding(violation) }
        expected = ExpectedRows(acknowledged: rows)
        if let fault = try file!.quickCheck().first { throw Finding(fault) }
        for session in RowMaker.sessions where !rows.isEmpty {
            let query = JournalQuery(session: session, positions: 1...rows.count, limit: rows.count)
            guard try file!.page(query) == query.page(of: rows) else {
                throw Finding("the rows of \(session) are not found")
            }
        }
    }

    /// Opens the journal after an error, and removes rows that were not acknowledged.
    package func recover() throws {
        try open()
        let rows = try read()
        if let violation = expected.violation(rows) { throw Finding(violation) }
        // A removal that failed is repeated, so fewer rows may be left than were acknowledged.
        let count = min(expected.acknowledged.count, expected.alternative?.count ?? .max)
        expected = ExpectedRows(acknowledged: rows)
        try remove(after: count)
        try verify()
    }

    /// The present state, for a power cut now.
    package var state: CutState { CutState(disk: vfs.disk, expected: expected, operation: nil) }
}
