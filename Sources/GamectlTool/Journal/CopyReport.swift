import GameFlow
import Glibc
import Journal
import Ownership
import PostgresStore
import SQLiteStore
import Sessions
import Shell

/// The result of `journal copy`, which copies everything from a state directory to a database, or back.
struct CopyReport {
    private let rows: Int
    /// The number of shards to which the rows were copied; nil if they were copied to a directory.
    private let shards: Int?
    /// The number of tokens that were copied, which includes those of invitations.
    private let tokens: Int

    /// Copies everything from `source` to `target`. One of them is a state directory, the other the URL of a database; no
    /// daemon may use either.
    init(from source: String, to target: String) throws(CommandError) {
        switch (PostgresLocation.isURL(source), PostgresLocation.isURL(target)) {
        case (false, true): (rows, shards, tokens) = try Self.copy(directory: source, to: target)
        case (true, false):
            (rows, tokens) = try Self.copy(database: source, to: target)
            shards = nil
        default:
            throw .usage(
                "journal copy: one of the two is a state directory, the other the URL of a database"
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
        let lock = try lockDirectory(directory)
        defer { withExtendedLifetime(lock) {} }
        guard !journal.isVirtual else {
            throw .malformed([
                "\(TerminalSafe.escaped(directory)): its clock is virtual, and that of a database is real"
            ])
        }
        try checkSound(journal, directory)
        let location = try OpenJournal.location(url)
        let tokens = try tokens(in: directory, journal)
        do throws(PostgresError) {
            let target = try PostgresImport(location, hasPruned: journal.pruned > 0) {
                ShardOfSession.shard(of: $0, shards: shardCount)
            }
            let lastAlive = try copy(journal, directory, to: target)
            try target.add(tokens)
            let notes = [("instance", journal.instance), ("clock", journal.clock)]
                .reduce(into: [String: String]()) { $0[$1.0] = $1.1 }
            let counts = try target.finish(notes: notes, lastAliveNs: lastAlive)
            return (counts.rows, counts.shards, tokens.count)
        } catch { throw .malformed(["the database: \(TerminalSafe.escaped(error.why))"]) }
    }

    /// The tokens in the token file of a directory. Without such a file, the tokens in its journal, if the journal is a
    /// backup or a copy.
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

    /// Copies the rows. Returns the latest time at which the daemon is known to have run, in nanoseconds of its clock.
    private static func copy(_ journal: OpenJournal, _ path: String, to target: PostgresImport)
        throws(PostgresError) -> Int64
    {
        var page: [JournalRow] = []
        var failure: PostgresError?
        var lastAlive = journal.mark?.atNs ?? 0
        func flush() -> Bool {
            do throws(PostgresError) { try target.append(page) } catch { failure = error }
            page = []
            return failure == nil
        }
        do throws(StoreError) {
            try journal.rows(progress: "copying") { row in
                page.append(row)
                lastAlive = max(lastAlive, row.atNs)
                return page.count < 1000 || flush()
            }
        } catch { throw PostgresError(reading: "\(path): \(error.why)") }
        _ = flush()
        if let failure { throw failure }
        return lastAlive
    }

    /// Throws unless all rows are there and undamaged: a copy would hide the damage.
    private static func checkSound(_ journal: OpenJournal, _ path: String) throws(CommandError) {
        var scan = JournalScan(prunedUpTo: journal.pruned)
        do throws(StoreError) {
            try journal.rows(progress: "checking") { row in
                scan.add(row)
                return true
            }
        } catch { throw OpenJournal.failure(error, path) }
        let lacksNewestRows =
            (journal.mark?.position ?? 0) > max(scan.newestPosition, journal.pruned)
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
        let path = "\(directory)/\(JournalFile.name)"
        // The daemon writes its token file from this note when it starts.
        let notes = tokens.isEmpty ? [:] : ["tokens": tokens.map { "\($0)\n" }.joined()]
        switch journal.copy(to: path, notes: notes) {
        case .success(let counts) where counts.damaged == 0: return (counts.rows, tokens.count)
        case .success(let counts):
            throw .check("\(counts.damaged) of the \(counts.rows) rows copied are damaged")
        case .failure(let error): throw OpenJournal.failure(error, path)
        }
    }

    // MARK: both ends

    private static func lockDirectory(_ directory: String) throws(CommandError) -> DirectoryLock {
        do throws(DirectoryLock.LockError) { return try DirectoryLock(directory) } catch {
            throw .busy("\(TerminalSafe.escaped(directory)): in use; a gamed has it open")
        }
    }
}
