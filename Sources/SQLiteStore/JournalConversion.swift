internal import CSQLite
package import Journal
internal import Sessions

/// The conversion of the journal of a state directory to the newest version.
///
/// First the old file is copied, as `journal.db.v1` or `journal.db.v2`, because an older gamed reads no converted journal. The
/// rows of version 2 need no change: each row begins with its format, and new rows get the newest one. The rows of version 1 are
/// rewritten, which only `gamectl` does (the module JournalVersion1). Either is one transaction, so that an interrupted
/// conversion changes nothing.
struct JournalConversion {
    private let file: JournalFile
    private let directory: String
    private let vfs: String?
    private let disk: any JournalDisk
    private let version1Conversion: (any RowConversion.Type)?
    /// The path of the copy.
    let copyPath: String

    /// The space that must remain free beside the copy and the rewritten rows, in bytes: for the rest of the write-ahead log.
    private static let spareBytes: UInt64 = 1 << 20

    /// The number of pages that are copied between two reports of the progress.
    private static let pagesPerStep: Int32 = 1024

    /// The conversion of the journal in a directory; nil if it has the newest version. `vfs` is the name of the virtual file
    /// system that SQLite uses; nil for the default. `version1Conversion` converts the rows of version 1; it is nil if only the
    /// plan is wanted, and in a program that does not read them.
    init?(
        of file: JournalFile, in directory: String, _ vfs: String?, _ disk: any JournalDisk,
        _ version1Conversion: (any RowConversion.Type)?
    ) {
        guard file.version != RowFormat.newestVersion else { return nil }
        (self.file, self.directory, self.vfs, self.disk) = (file, directory, vfs, disk)
        self.version1Conversion = version1Conversion
        copyPath = JournalFile.copyPath(of: file.version, in: directory)
    }

    /// What the conversion needs.
    func plan() throws(SQLiteError) -> ConversionPlan {
        let rewritesRows = file.version == JournalFile.firstVersion
        let copyBytes = try file.pageBytes()
        // The transaction that rewrites the rows writes each page to the write-ahead log, and 24 bytes more for each.
        let logBytes = rewritesRows ? copyBytes + copyBytes / 64 : 0
        return ConversionPlan(
            copyPath: copyPath, rewritesRows: rewritesRows,
            neededBytes: copyBytes + logBytes + Self.spareBytes,
            freeBytes: disk.freeBytes(in: directory))
    }

    /// Throws if the program does not read the rows of version 1, or if there is not enough space for the copy and the conversion.
    /// An earlier copy is replaced, but only when the new one is complete.
    func check() throws(SQLiteError) {
        if file.version == JournalFile.firstVersion, version1Conversion == nil {
            throw JournalFile.version1Error(directory)
        }
        let plan = try plan()
        guard plan.missingBytes > 0 else { return }
        throw SQLiteError(
            code: SQLITE_FULL,
            "before it is converted to version \(RowFormat.newestVersion), it is copied to \(copyPath); "
                + "both need \(plan.neededBytes) bytes: \(plan.missingBytes) bytes are missing")
    }

    /// Makes the copy, and converts the journal.
    func run(_ reportProgress: (_ done: Int, _ total: Int) -> Void) throws(SQLiteError) {
        if file.version == JournalFile.firstVersion {
            guard let version1Conversion else { throw JournalFile.version1Error(directory) }
            try copy { _, _ in }
            try file.rewriteRows(version1Conversion, reportProgress)
        } else {
            try copy(reportProgress)
            try file.markAsNewest()
            try file.checkpoint()
        }
    }

    /// Copies the file under a temporary name, and renames the copy when it is durable.
    private func copy(_ reportProgress: (_ done: Int, _ total: Int) -> Void) throws(SQLiteError) {
        let part = "\(copyPath).part"
        try removePart(part)
        do throws(SQLiteError) {
            try copyPages(to: part, reportProgress)
            try markAsCopy(part)
            try disk.sync(part)
            try disk.rename(part, to: copyPath)
            try disk.syncDirectory(directory)
        } catch {
            try? removePart(part)
            throw error
        }
    }

    private func removePart(_ part: String) throws(SQLiteError) {
        for suffix in PartFile.suffixes { try disk.remove(part + suffix) }
    }

    /// Adds the note that every copy has. The copy has no tokens: the token file stays where it is.
    private func markAsCopy(_ part: String) throws(SQLiteError) {
        let copy = try JournalFile(existing: part, vfs: vfs)
        if try copy.note(JournalNote.tokens) == nil {
            try copy.setNote(JournalNote.tokens, "")
        }
        try copy.checkpoint()
    }

    /// Wraps `sqlite3_backup_init` and its companions.
    private func copyPages(
        to part: String, _ reportProgress: (_ done: Int, _ total: Int) -> Void
    ) throws(SQLiteError) {
        // The copy is closed at the end of this function.
        let target = try SQLiteDatabase(part, creates: true, vfs: vfs)
        guard
            let backup = sqlite3_backup_init(target.handle, "main", file.database.handle, "main")
        else { throw SQLiteError(target.handle) }
        var result = SQLITE_OK
        while result == SQLITE_OK {
            result = sqlite3_backup_step(backup, Self.pagesPerStep)
            let total = Int(sqlite3_backup_pagecount(backup))
            reportProgress(total - Int(sqlite3_backup_remaining(backup)), total)
        }
        let finished = sqlite3_backup_finish(backup)
        guard result == SQLITE_DONE else { throw SQLiteError(result) }
        guard finished == SQLITE_OK else { throw SQLiteError(finished) }
    }
}

extension JournalFile {
    /// The error of a program that finds a journal of version 1 and does not convert it. `directory` is the journal's; nil for a
    /// backup, which must be restored before.
    static func version1Error(_ directory: String?) -> SQLiteError {
        SQLiteError(
            "the journal has version \(firstVersion): "
                + (directory.map { "first run `gamectl journal convert \($0)`" }
                    ?? "first restore it with `gamectl restore`, and run `gamectl journal convert`")
        )
    }

    /// Notes that the journal has the newest version.
    func markAsNewest() throws(SQLiteError) {
        try setNote(Self.versionNote, RowFormat.newestVersion)
    }

    /// The number of rows that are read, converted and written at a time.
    private static let rewrittenRowsPerStep = 1000

    /// Replaces each row by the converted one, and notes that the journal has the newest version. This is one transaction, so the
    /// file is unchanged if it fails. `reportProgress` is called with the position that was reached, and the newest position.
    func rewriteRows(
        _ conversion: any RowConversion.Type, _ reportProgress: (_ done: Int, _ total: Int) -> Void
    ) throws(SQLiteError) {
        let newest = try newestPosition()
        var conversion = conversion.init(prunedUpTo: try prunedUpTo())
        try database.transaction { () throws(SQLiteError) in
            let update = try SQLiteStatement(
                "UPDATE row SET body = ?, previous_checksum = ?, checksum = ? WHERE position = ?",
                in: database)
            var last = 0
            while true {
                let rows = try rows(after: last, limit: Self.rewrittenRowsPerStep)
                guard let lastRow = rows.last else { break }
                for row in rows { try write(conversion.converted(row), by: update) }
                last = lastRow.position
                reportProgress(last, newest)
            }
            guard conversion.keepsDamage else {
                throw SQLiteError("the converted journal does not have the same damage")
            }
            try markAsNewest()
        }
        try checkpoint()
        // The rows have become shorter, so the file has unused space. It is not an error if this space cannot be released.
        try? database.run("VACUUM")
        try? checkpoint()
    }

    /// Writes a converted row with the statement `update`.
    private func write(_ row: JournalRow, by update: SQLiteStatement) throws(SQLiteError) {
        defer { update.reset() }
        try update.bind(1, row.body)
        try update.bind(2, Int(row.previous.checksum))
        try update.bind(3, Int(row.checksum))
        try update.bind(4, row.position)
        _ = try update.step()
    }

    /// What the conversion of this journal, which is in `directory`, would need. Nil if it has the newest version.
    package func conversionPlan(in directory: String) throws(SQLiteError) -> ConversionPlan? {
        try JournalConversion(of: self, in: directory, nil, PlainDisk(), nil)?.plan()
    }

    /// The path of the copy that a conversion keeps of a journal of an older version.
    static func copyPath(of version: String, in directory: String) -> String {
        "\(directory)/\(name).v\(version)"
    }

    /// The paths of the copies that earlier conversions have kept in a directory.
    static func keptCopies(in directory: String) -> [String] {
        let paths = knownVersions.filter { $0 != RowFormat.newestVersion }
            .map { copyPath(of: $0, in: directory) }
        return paths.filter(PlainDisk().exists)
    }

    /// The size of the journal's pages in bytes, those in the write-ahead log included.
    func pageBytes() throws(SQLiteError) -> UInt64 {
        let count = try database.value("PRAGMA page_count").flatMap { UInt64($0) } ?? 0
        let size = try database.value("PRAGMA page_size").flatMap { UInt64($0) } ?? 0
        return count.multipliedReportingOverflow(by: size).partialValue
    }
}
