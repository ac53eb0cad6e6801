package import EventLoop
package import Journal

/// A `JournalFile` for callers that know no SQLite.
package final class SQLiteJournal: LocalJournal {
    private let file: JournalFile

    package static let fileNames = [
        JournalFile.name, "\(JournalFile.name)-wal", "\(JournalFile.name)-shm",
    ]

    /// Calls a function of a file. An error becomes a sentence for the user.
    private static func call<T>(_ function: () throws(SQLiteError) -> T) throws(StoreError) -> T {
        do throws(SQLiteError) { return try function() } catch { throw StoreError(forUser: error) }
    }

    // MARK: opening

    package init(
        in directory: String, converting conversion: (any RowConversion.Type)?,
        reportProgress: (_ done: Int, _ total: Int) -> Void
    ) throws(StoreError) {
        file = try Self.call { () throws(SQLiteError) in
            try JournalFile(
                directory, vfs: nil, disk: PlainDisk(), conversion, reportProgress: reportProgress)
        }
    }

    package init(reading path: String) throws(StoreError) {
        file = try Self.call { () throws(SQLiteError) in try JournalFile(reading: path) }
    }

    package init(existing path: String) throws(StoreError) {
        file = try Self.call { () throws(SQLiteError) in try JournalFile(existing: path) }
    }

    package static func store(
        in directory: String, holding lock: DirectoryLock, on loop: LibeventLoop
    ) throws(EventLoopError) -> any Store {
        try SQLiteStore(directory, holding: lock, on: loop)
    }

    // MARK: versions

    package var version: String { file.version }

    package func conversionError(in directory: String?) -> StoreError? {
        guard version == JournalFile.firstVersion else { return nil }
        return StoreError(forUser: JournalFile.version1Error(directory))
    }

    package func conversionPlan(in directory: String) throws(StoreError) -> ConversionPlan? {
        try Self.call { () throws(SQLiteError) in try file.conversionPlan(in: directory) }
    }

    package static func copyPath(of version: String, in directory: String) -> String {
        JournalFile.copyPath(of: version, in: directory)
    }

    package static func keptCopies(in directory: String) -> [String] {
        JournalFile.keptCopies(in: directory)
    }

    // MARK: rows

    package func newestPosition() throws(StoreError) -> Int {
        try Self.call { () throws(SQLiteError) in try file.newestPosition() }
    }

    package func prunedUpTo() throws(StoreError) -> Int {
        try Self.call { () throws(SQLiteError) in try file.prunedUpTo() }
    }

    package func rows(_ handleRow: (JournalRow) -> Bool) throws(StoreError) {
        try Self.call { () throws(SQLiteError) in try file.rows(handleRow) }
    }

    package func erasedPositions() throws(StoreError) -> [Int] {
        try Self.call { () throws(SQLiteError) in try file.erasedPositions() }
    }

    package func erasure(of session: String) throws(ErasureError) -> Erasure {
        try file.erasure(of: session)
    }

    package func erase(_ session: String) throws(ErasureError) -> Erasure {
        try file.erase(session)
    }

    // MARK: notes

    package func note(_ name: String) throws(StoreError) -> String? {
        try Self.call { () throws(SQLiteError) in try file.note(name) }
    }

    package func setNote(_ name: String, _ value: String) throws(StoreError) {
        try Self.call { () throws(SQLiteError) in try file.setNote(name, value) }
    }

    package func removeNote(_ name: String) throws(StoreError) {
        try Self.call { () throws(SQLiteError) in try file.removeNote(name) }
    }

    // MARK: files

    package func checkpoint() throws(StoreError) {
        try Self.call { () throws(SQLiteError) in try file.checkpoint() }
    }

    package var bytes: Int { file.bytes }

    package func faults() throws(StoreError) -> [String] {
        try Self.call { () throws(SQLiteError) in try file.quickCheck() }
    }

    package static func copy(to path: String) throws(StoreError) -> any JournalCopy {
        try SQLiteJournalCopy(to: path)
    }

    package static func restore(
        _ path: String, to directory: String, movingAside oldNames: [String], suffix: String
    ) throws(StoreError) -> [String] {
        try call { () throws(SQLiteError) in
            try JournalReplacement(of: directory, by: path, suffix: suffix)
                .perform(movingAside: oldNames)
        }
    }
}
