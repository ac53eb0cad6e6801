import GameFlow
import Glibc
import Journal
import LocalJournals
import PostgresStore
import Shell
import Timers

/// A journal opened for reading: a file, or the rows of one shard in a database.
struct OpenJournal {
    /// Where the rows are.
    private enum Origin {
        case file(any LocalJournal)
        case database(PostgresJournal, shard: Int)
    }

    private let origin: Origin
    /// The shard whose rows the journal contains; nil if the journal is a file.
    let shard: Int?
    /// The state directory; nil for a backup.
    let directory: String?
    /// The position up to which old rows were removed; 0 if none were.
    let prunedUpTo: Int
    /// The position of the newest row; 0 if there are no rows.
    let newestPosition: Int
    /// The position and time that were recorded beside the journal. They show whether rows at the end of the journal are lost.
    /// Nil if they were not recorded, for example for a backup.
    let highWaterMark: HighWaterMark?
    /// `real` or `virtual`; nil if it was not recorded.
    let clock: String?
    /// The instance id of the daemon that wrote the journal; nil if it was not recorded.
    let instance: String?
    /// The text of the token file, which a backup contains; empty if the journal does not contain it.
    let tokens: String
    /// The version of the journal; the newest for the rows of a database, which has no such version.
    let version: String

    /// Opens the journal of a state directory or of a backup. If `path` is the URL of a database, opens one journal for each
    /// shard that has rows. A database may be in use: its rows are read as they were at one instant.
    static func all(_ path: String) throws(CommandError) -> [OpenJournal] {
        PostgresLocation.isURL(path) ? try shards(path) : [try OpenJournal(directoryOrBackup: path)]
    }

    private static func shards(_ url: String) throws(CommandError) -> [OpenJournal] {
        let location = try location(url)
        do throws(PostgresError) {
            let journal = try PostgresJournal(location)
            // If no shard has rows, shard 0 is opened as a journal without rows, so that the verb has something to report.
            return try (journal.shards.isEmpty ? [0] : journal.shards).map {
                (shard) throws(PostgresError) in try OpenJournal(journal, shard)
            }
        } catch { throw .malformed(["the database: \(TerminalSafe.escaped(error.why))"]) }
    }

    /// The database at a URL.
    static func location(_ url: String) throws(CommandError) -> PostgresLocation {
        do throws(PostgresLocation.LocationError) { return try PostgresLocation(url) } catch {
            throw .malformed(["the database: \(error.why)"])
        }
    }

    /// The rows of one shard of a database.
    private init(_ journal: PostgresJournal, _ shard: Int) throws(PostgresError) {
        origin = .database(journal, shard: shard)
        self.shard = shard
        let notes = try journal.notes(of: shard)
        (prunedUpTo, newestPosition) = (notes.pruned, try journal.newestPosition(of: shard))
        (clock, instance) = (notes.values["clock"], notes.values["instance"])
        (highWaterMark, directory, tokens) = (notes.mark, nil, "")
        version = RowFormat.newestVersion
    }

    /// Opens the journal of the state directory at `path`, or the backup at `path`. Throws if a daemon uses the directory.
    /// Also throws if the journal has version 1. Only a caller that does not decode the rows passes `acceptsVersion1`.
    init(directoryOrBackup path: String, acceptsVersion1: Bool = false) throws(CommandError) {
        shard = nil
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw .malformed(["\(TerminalSafe.escaped(path)): \(String(cString: strerror(errno)))"])
        }
        directory = status.st_mode & S_IFMT == S_IFDIR ? path : nil
        let kind = LocalJournals.kind(in: directory)
        let filePath = directory.map { "\($0)/\(kind.fileName)" } ?? path
        guard access(filePath, F_OK) == 0 else {
            let why =
                errno == ENOENT
                ? "no \(kind.fileName) in this directory" : String(cString: strerror(errno))
            throw .malformed(["\(TerminalSafe.escaped(path)): \(why)"])
        }
        if let directory, DirectoryLock.isHeld(directory) {
            throw .busy("\(TerminalSafe.escaped(path)): in use; a gamed has it open")
        }
        do throws(StoreError) {
            let file = try kind.init(reading: filePath)
            if !acceptsVersion1, let error = file.conversionError(in: directory) { throw error }
            origin = .file(file)
            highWaterMark = directory.flatMap { HighWaterMarkFile.newest(in: $0) }
            prunedUpTo = try file.prunedUpTo()
            newestPosition = try file.newestPosition()
            (clock, instance) = (try file.note(JournalNote.clock), try file.note("instance"))
            let copied = try file.note(JournalNote.tokens)
            let archived = try file.note(JournalNote.archivedTokens)
            tokens = copied ?? archived ?? ""
            version = file.version
        } catch { throw Self.failure(error, path) }
    }

    /// The command's error for an error of the store. `path` names the journal in the sentence.
    static func failure(_ error: StoreError, _ path: String) -> CommandError {
        let sentence = "\(TerminalSafe.escaped(path)): \(TerminalSafe.escaped(error.why))"
        switch error.kind {
        case .busy: return .busy(sentence)
        case .damaged: return .check(sentence)
        case .full, .unavailable, .other: return .malformed([sentence])
        }
    }

    /// Whether the daemon ran on a virtual clock.
    var isVirtual: Bool { clock == "virtual" }

    /// Calls `readRow` with each row, in order, until `readRow` returns false. If standard error is a terminal, shows the
    /// progress there. `activity` is the text before the progress, such as `copying`.
    func rows(progress activity: String, _ readRow: (JournalRow) -> Bool) throws(StoreError) {
        var progress = Progress("gamectl: \(activity)", of: newestPosition)
        defer { progress.end() }
        try rows { row in
            progress.show(row.position)
            return readRow(row)
        }
    }

    /// Calls `readRow` with each row, in order, until `readRow` returns false.
    func rows(_ readRow: (JournalRow) -> Bool) throws(StoreError) {
        switch origin {
        case .file(let file): try file.rows(readRow)
        case .database(let journal, let shard):
            do throws(PostgresError) { try journal.rows(of: shard, readRow) } catch {
                throw StoreError(.other, why: error.why)
            }
        }
    }

    /// The positions of all rows that `gamectl journal forget` has erased, in increasing order.
    func erased() throws(StoreError) -> [Int] {
        switch origin {
        case .file(let file): return try file.erasedPositions()
        case .database(let journal, let shard):
            do throws(PostgresError) { return try journal.erased(of: shard) } catch {
                throw StoreError(.other, why: error.why)
            }
        }
    }

    /// What the conversion to the newest version needs. Nil if the journal has that version, or is no state directory's.
    func conversionPlan() throws(StoreError) -> ConversionPlan? {
        guard case .file(let file) = origin, let directory else { return nil }
        return try file.conversionPlan(in: directory)
    }

    /// The reason why the rows cannot be decoded before they are converted in `directory`; nil if they can.
    func conversionError(in directory: String) -> StoreError? {
        guard case .file(let file) = origin else { return nil }
        return file.conversionError(in: directory)
    }

    /// The size in bytes: of the file with its write-ahead log, or of the database's table with its indexes.
    var bytes: Int {
        switch origin {
        case .file(let file): file.bytes
        case .database(let journal, _): journal.bytes
        }
    }

    /// The defects of the file that are not defects of its rows; empty if the file is sound, or if the journal is in a database.
    func faults() throws(StoreError) -> [String] {
        guard case .file(let file) = origin else { return [] }
        return try file.faults()
    }

    /// An instant as text: the time since the zero of a virtual clock, or the local date and time.
    func time(_ instant: Instant) -> String {
        let ms = Int(instant.milliseconds)
        return isVirtual ? ClockText.sinceZero(ms) : ClockText.date(ms)
    }
}

/// The time between the first and the last row. Damaged rows are ignored.
struct TimeSpan {
    /// The time of the first row; nil if there are no rows.
    private(set) var first: Instant?
    /// The latest time of a row.
    private(set) var last = Instant.zero

    mutating func add(_ row: JournalRow) {
        guard row.hasValidChecksum else { return }
        let at = Instant(nanoseconds: row.atNs)
        if first == nil { first = at }
        last = max(last, at)
    }

    /// `0:00:00.000 to 0:01:30.000 (1:30)`; nil if there are no rows.
    func words(_ journal: OpenJournal) -> String? {
        guard let first else { return nil }
        let length = ClockText.length(Int((last - first).milliseconds))
        return "\(journal.time(first)) to \(journal.time(last)) (\(length))"
    }

    var json: [Member] {
        guard let first else { return [] }
        return [
            Member("fromMs", Int(first.milliseconds)), Member("toMs", Int(last.milliseconds)),
        ]
    }
}
