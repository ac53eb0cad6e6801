package import Journal
package import SQLiteStore
package import TestSupport

/// Whoever uses a journal as the daemon does, on a simulated disk, and keeps account of what was
/// promised.
package final class JournalUser {
    static let directory = "/journal"

    private let vfs: SimulatedVFS
    private let fault: InjectedFault?
    private var random: SeededRandom
    private var file: JournalFile?
    package private(set) var promise: Promise
    /// A moment before each operation, while they are watched.
    package private(set) var moments: [Moment] = []

    package init(
        _ vfs: SimulatedVFS, _ random: SeededRandom, _ fault: InjectedFault?,
        _ promise: Promise = Promise()
    ) {
        (self.vfs, self.random, self.fault, self.promise) = (vfs, random, fault, promise)
    }

    deinit { vfs.watch = nil }

    /// Notes a moment before each operation from here on.
    package func watch() {
        vfs.watch = { [unowned self] disk, operation in
            moments.append(Moment(disk: disk, promise: promise, operation: operation))
        }
    }

    /// Notes the moment after the last one.
    package func watchNoMore() {
        vfs.watch = nil
        moments.append(moment)
    }

    // MARK: what a user does

    /// Opens the journal, does the steps, and closes it.
    package func run(_ steps: [Workload.Step]) throws(SQLiteError) {
        try open()
        for step in steps { try take(step) }
        close()
    }

    package func open() throws(SQLiteError) {
        vfs.trace?("open")
        let disk: any JournalDisk = fault.map { FaultyDisk(vfs, $0) } ?? vfs
        let path = "\(Self.directory)/\(JournalFile.name)"
        if fault == .logKept, disk.isThere(path) {
            try disk.forget("\(path)-wal")
            file = try JournalFile(existing: path, vfs: vfs.name)
            return try disk.syncDirectory(Self.directory)
        }
        file = try JournalFile(Self.directory, vfs: vfs.name, disk: disk)
    }

    package func close() {
        vfs.trace?("close")
        file = nil
    }

    package func take(_ step: Workload.Step) throws(SQLiteError) {
        vfs.trace?("\(step)")
        switch step {
        case .append(let sizes):
            let batch = RowMaker.batch(sizes, after: promise.settled, &random)
            promise.possible = promise.settled + batch
            try append(batch)
            settle()
        case .checkpoint: try file!.checkpoint()
        case .reopen:
            close()
            try open()
        case .remove(let percent):
            try remove(after: promise.settled.count * percent / 100)
        }
    }

    private func append(_ batch: [JournalRow]) throws(SQLiteError) {
        guard fault == .rowsOneByOne else {
            return try commit { file throws(SQLiteError) in try file.append(batch) }
        }
        for row in batch { try file!.append([row]) }
    }

    /// Does what is to be on the disk when it returns.
    private func commit(_ work: (JournalFile) throws(SQLiteError) -> Void) throws(SQLiteError) {
        guard fault == .syncedSeldom else { return try work(file!) }
        vfs.unsynced = .log
        defer { vfs.unsynced = nil }
        try work(file!)
    }

    private func remove(after count: Int) throws(SQLiteError) {
        promise.possible = Array(promise.settled.prefix(count))
        try commit { file throws(SQLiteError) in try file.removeRows(after: count) }
        settle()
    }

    /// What was under way was acknowledged.
    private func settle() {
        promise = Promise(settled: promise.possible ?? promise.settled)
    }

    package func read() throws(SQLiteError) -> [JournalRow] {
        var rows: [JournalRow] = []
        try file!.rows {
            rows.append($0)
            return true
        }
        return rows
    }

    /// Reads what is there, and takes it for settled.
    package func look() throws {
        let rows = try read()
        if let breach = promise.breach(rows) { throw Finding(breach) }
        promise = Promise(settled: rows)
    }

    /// What is done after an error: open again, and remove what was not acknowledged.
    package func recover() throws {
        try open()
        let rows = try read()
        if let breach = promise.breach(rows) { throw Finding(breach) }
        // A removal that failed is asked for again, so that less is left than was settled.
        let count = min(promise.settled.count, promise.possible?.count ?? .max)
        promise = Promise(settled: rows)
        try remove(after: count)
        try look()
    }

    /// The point to cut the power at now.
    package var moment: Moment { Moment(disk: vfs.disk, promise: promise, operation: nil) }
}
