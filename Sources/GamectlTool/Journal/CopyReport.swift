import GameFlow
import Glibc
import Journal
import LocalJournals
import Ownership
import PostgresStore
import Sessions
import Shell

/// Executes `gamectl journal copy`, which copies all rows and tokens from a state directory to a database, or from a database
/// to a state directory. `lines` and `json` say what was copied.
struct CopyReport {
    /// The number of rows that were copied.
    private let rows: Int
    /// The number of shards to which the rows were copied; nil if they were copied to a directory.
    private let shards: Int?
    /// The number of tokens that were copied, including the tokens of invitations.
    private let tokens: Int

    /// Copies all rows and tokens from `source` to `target`: from a state directory to a database, or from a database to a
    /// state directory. A state directory is given by its path, and a database by its URL. No daemon may use the directory or
    /// the database.
    init(from source: String, to target: String) throws(CommandError) {
        switch (PostgresLocation.isURL(source), PostgresLocation.isURL(target)) {
        case (false, true): (rows, shards, tokens) = try Self.copy(directory: source, to: target)
        case (true, false):
            (rows, tokens) = try Self.copy(database: source, to: target)
            shards = nil
        default:
            throw .usage(
                "journal copy: name a state directory and the URL of a database, in either order"
            )
        }
    }

    var lines: [String] {
        [
            "\(rows) rows copied" + (shards.map { " to \($0) shards" } ?? ", all sound"),
            "\(tokens) tokens copied",
        ]
    }

    var json: [Member] {
        [Member("rows", rows), Member("tokens", tokens)]
            + (shards.map { [Member("shards", $0)] } ?? [])
    }

    /// The number of shards of a database; all nodes use the same number.
    private static let shardCount = OwnershipSettings().shards

    // MARK: to a database

    private static func copy(directory: String, to url: String) throws(CommandError)
        -> (rows: Int, shards: Int?, tokens: Int)
    {
        let journal = try OpenJournal(directoryOrBackup: directory)
        guard journal.directory != nil else {
            throw .usage(
                "journal copy: \(TerminalSafe.escaped(directory)) is not a state directory")
        }
        // Until the copy is complete, no daemon can start in the directory.
        let lock = try lockDirectory(directory)
        defer { withExtendedLifetime(lock) {} }
        guard !journal.isVirtual else {
            throw .malformed([
                "\(TerminalSafe.escaped(directory)): its sessions run on a virtual clock, but a database needs the real clock"
            ])
        }
        try checkSound(journal, directory)
        let location = try OpenJournal.location(url)
        let tokens = try tokens(in: directory, journal)
        do throws(PostgresError) {
            let target = try PostgresImport(location, hasPruned: journal.prunedUpTo > 0) {
                ShardOfSession.shard(of: $0, shards: shardCount)
            }
            let lastAlive = try copy(journal, directory, to: target)
            try target.add(tokens)
            // A note that the journal does not contain is nil, and is left out.
            let notes = [("instance", journal.instance), ("clock", journal.clock)]
                .reduce(into: [String: String]()) { $0[$1.0] = $1.1 }
            let counts = try target.finish(notes: notes, lastAliveNs: lastAlive)
            return (counts.rows, counts.shards, tokens.count)
        } catch { throw .malformed(["the database: \(TerminalSafe.escaped(error.why))"]) }
    }

    /// The tokens of a state directory. They come from the directory's token file. If there is no token file, they come from
    /// the journal. The journal contains tokens if it was made by a backup or by `journal copy`.
    private static func tokens(in directory: String, _ journal: OpenJournal) throws(CommandError)
        -> [TokenTable.NamedLine]
    {
        let path = "\(directory)/tokens"
        let text =
            access(path, F_OK) == 0
            ? String(decoding: try FileText.read(path), as: UTF8.self) : journal.tokens
        return text.split(separator: "\n").compactMap { line in
            guard line.first != "#", let name = line.split(separator: " ").first else { return nil }
            return (String(name), String(line))
        }
    }

    /// How many rows are sent to the database at a time.
    private static let pageSize = 1000

    /// Copies the rows. Returns the latest time at which the daemon is known to have run, in nanoseconds of its clock. `path`
    /// names the directory in errors.
    private static func copy(_ journal: OpenJournal, _ path: String, to target: PostgresImport)
        throws(PostgresError) -> Int64
    {
        var page: [JournalRow] = []
        var failure: PostgresError?
        var lastAlive = journal.highWaterMark?.atNs ?? 0
        /// Sends the rows of the page. Returns false, and sets `failure`, if this fails.
        func sendPage() -> Bool {
            do throws(PostgresError) { try target.append(page) } catch { failure = error }
            page = []
            return failure == nil
        }
        do throws(StoreError) {
            try journal.rows(progress: "copying") { row in
                page.append(row)
                lastAlive = max(lastAlive, row.atNs)
                return page.count < pageSize || sendPage()
            }
        } catch { throw PostgresError(reading: "\(path): \(error.why)") }
        _ = sendPage()
        if let failure { throw failure }
        return lastAlive
    }

    /// Throws if rows are damaged or missing, because the copy would hide this. Old rows that were pruned may be missing.
    private static func checkSound(_ journal: OpenJournal, _ path: String) throws(CommandError) {
        var scan = JournalScan(prunedUpTo: journal.prunedUpTo)
        do throws(StoreError) {
            try journal.rows(progress: "checking") { row in
                scan.add(row)
                return true
            }
        } catch { throw OpenJournal.failure(error, path) }
        let lacksNewestRows =
            (journal.highWaterMark?.position ?? 0) > max(scan.newestPosition, journal.prunedUpTo)
        guard scan.damage.isEmpty, scan.lost == 0, !lacksNewestRows else {
            throw .check("\(TerminalSafe.escaped(path)) is damaged: see `gamectl journal check`")
        }
    }

    // MARK: to a directory

    private static func copy(database url: String, to directory: String) throws(CommandError)
        -> (rows: Int, tokens: Int)
    {
        let location = try OpenJournal.location(url)
        guard mkdir(directory, 0o750) == 0 || errno == EEXIST else {
            throw .malformed([
                "\(TerminalSafe.escaped(directory)): \(String(cString: strerror(errno)))"
            ])
        }
        let lock = try lockDirectory(directory)
        defer { withExtendedLifetime(lock) {} }
        let (journal, tokens): (PostgresJournal, [String])
        do throws(PostgresError) {
            journal = try PostgresJournal(location)
            try journal.checkUnused()
            tokens = try journal.tokenLines()
        } catch { throw .malformed(["the database: \(TerminalSafe.escaped(error.why))"]) }
        let kind = LocalJournals.first
        let path = "\(directory)/\(kind.fileName)"
        // When a daemon starts in the directory, it writes its token file from the note `tokens`.
        let notes = [JournalNote.tokens: tokens.map { "\($0)\n" }.joined()]
        switch journal.copy(to: path, as: kind, notes: notes) {
        case .success(let counts) where counts.damaged == 0: return (counts.rows, tokens.count)
        case .success(let counts):
            throw .check("\(counts.damaged) of the \(counts.rows) rows copied are damaged")
        case .failure(let error): throw OpenJournal.failure(error, path)
        }
    }

    /// Locks a state directory until the result is released. Throws if a daemon uses it.
    static func lockDirectory(_ directory: String) throws(CommandError) -> DirectoryLock {
        do throws(DirectoryLock.LockError) { return try DirectoryLock(directory) } catch {
            throw .busy("\(TerminalSafe.escaped(directory)): in use; a gamed has it open")
        }
    }
}
