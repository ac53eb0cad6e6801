import Durability
import EventLoop
import Glibc
import Journal
import SQLiteStore
import Sessions
import Shell
internal import Support
import Timers

/// The directory in which a daemon keeps what it knows, read from beginning to end before anything else. SQLite
/// is named nowhere else in this program.
struct StateDirectory {
    /// Why the daemon cannot go on from what is there.
    struct Unusable: Error {
        let why: String
    }

    let path: String
    /// Nobody else comes in as long as this is held.
    private let lock: DirectoryLock
    /// What there was to go on from.
    let written: Sessions.Written
    /// The last instant at which the daemon is known to have been up; nil where it never was.
    let lastSign: Instant?
    /// The name of the daemon's life so far.
    let instance: String
    /// How many rows there were.
    let rows: Int
    /// Whether nothing old is removed until an operator says so: the clock has gone ahead so far that it may be
    /// wrong.
    let holdsPruning: Bool

    /// Reads a directory's journal, and makes both where there are none. Throws `Unusable`, or a
    /// `StoreError`.
    init(_ options: Options, at path: String, answers: Int, newInstance: String) throws {
        do { try self.init(reading: path, options, answers, newInstance) } catch let error
            as SQLiteError
        { throw StoreError(opening: error) }
    }

    /// The store of the rows from now on. It holds the directory's lock.
    func store(on loop: LibeventLoop) throws(EventLoopError) -> any Store {
        try SQLiteStore(path, holding: lock, on: loop)
    }

    /// The paths of the files that rows are in.
    static func journalPaths(in directory: String) -> [String] {
        ["", "-wal"].map { "\(directory)/\(JournalFile.name)\($0)" }
    }

    private init(reading path: String, _ options: Options, _ answers: Int, _ newInstance: String)
        throws
    {
        self.path = path
        try Self.make(path)
        for name in [DirectoryLock.name, HighWaterMarkFile.name, JournalFile.name]
        where FilePath.isIrregular("\(path)/\(name)") {
            throw Unusable(why: "\(name) is not a regular file")
        }
        lock = try Self.hold(path)
        let mark = HighWaterMarkFile.look(in: path)
        try Self.expectJournal(path, mark, options.acceptsLoss)
        let file = try Self.open(path)
        try Self.check(file, clock: options.isVirtual ? "virtual" : "real")
        let pruned = try file.pruned()
        var reading = JournalReading(pruned: pruned, answers: answers)
        var progress = Progress("gamed: reading the journal", of: try file.head())
        try file.rows { row in
            reading.take(row)
            progress.show(row.position)
            return true
        }
        progress.end()
        let loss = Self.loss(reading.scan, mark, pruned)
        if let loss { try Self.accept(loss, options.acceptsLoss) }
        rows = reading.scan.count
        let lastRow = reading.lastRow
        // The rows' memory is given back while they are restored, where nobody else has them.
        written = (consume reading).written()
        let lastMark = Instant(nanoseconds: mark?.atNs ?? 0)
        lastSign =
            rows == 0 ? nil : options.isVirtual ? lastRow : max(lastRow, lastMark)
        holdsPruning = try Self.holdsPruning(file, lastSign, options)
        // To who knew the numbers that are lost, what has them now must be another daemon.
        let old = rows == 0 || loss != nil ? nil : try file.fact("instance")
        try Self.takeTokens(from: file, options.tokenFile)
        instance = old ?? newInstance
        if old == nil { try file.note("instance", newInstance) }
    }

    /// Opens the journal; one of an earlier version is converted, which takes a while for a long one.
    private static func open(_ path: String) throws -> JournalFile {
        var progress: Progress?
        let file = try JournalFile(path) { done, total in
            if progress == nil { progress = Progress("gamed: converting the journal", of: total) }
            progress?.show(done)
        }
        progress?.end()
        if file.version != JournalFile.newestVersion {
            Log.write(
                .info, "the journal in \(path) was of version \(file.version), and was converted")
        }
        return file
    }

    /// The name of the note that says that nothing old is removed.
    static let heldNote = "pruning held"
    /// Being away for so long is no reason to doubt the clock, however shortly rows are kept.
    private static let ordinaryPause = Duration.seconds(86_400)

    /// A clock that is ahead by more than rows are kept makes all of them old at once.
    private static func holdsPruning(
        _ file: JournalFile, _ lastSign: Instant?, _ options: Options
    ) throws -> Bool {
        if try file.fact(heldNote) != nil { return true }
        guard !options.isVirtual, let lastSign, let keep = options.keep else { return false }
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let pause = Instant.zero + .seconds(Int64(time.tv_sec)) - lastSign
        guard pause > max(keep, ordinaryPause) else { return false }
        Log.write(
            .warning,
            "the clock is \(pause.milliseconds / 86_400_000) days ahead of the last time the daemon was up, "
                + "and rows are kept for \(DurationText.write(keep)): nothing is removed until you run "
                + "`gamectl journal prune --yes`")
        try file.note(heldNote, "yes")
        return true
    }

    /// A journal that was a backup brings the tokens with it: they become the token file, unless there is one.
    private static func takeTokens(from file: JournalFile, _ path: String?) throws {
        guard let text = try file.fact(JournalMaintenance.tokensNote) else { return }
        if let path, !text.isEmpty {
            if access(path, F_OK) == 0 {
                Log.write(.warning, "\(path) is there: the tokens of the backup are left out")
            } else {
                do throws(TokenFile.Failure) { try TokenFile.restore(text, at: path) } catch {
                    throw Unusable(why: "cannot write the backup's tokens to \(path)")
                }
            }
        }
        try file.forget(JournalMaintenance.tokensNote)
    }

    private static func make(_ path: String) throws {
        // One that was just made is one that a power cut could take away whole.
        if mkdir(path, 0o750) == 0 {
            if FilePath.syncDirectory("\(path)/..") { return }
            throw Unusable(why: "cannot sync \(path)/..: \(String(cString: strerror(errno)))")
        }
        guard errno == EEXIST else {
            throw Unusable(why: "cannot make it: \(String(cString: strerror(errno)))")
        }
    }

    /// Time on one clock means nothing on the other.
    private static func check(_ file: JournalFile, clock: String) throws {
        guard let old = try file.fact("clock") else { return try file.note("clock", clock) }
        guard old == clock else {
            throw Unusable(
                why: "its journal is of the \(old) clock: run with --clock \(old), "
                    + "or with another directory")
        }
    }

    /// Where there was a journal, another one is not made in its place without being asked for.
    private static func expectJournal(
        _ path: String, _ mark: HighWaterMark?, _ acceptsLoss: Bool
    ) throws {
        guard !acceptsLoss, access("\(path)/\(JournalFile.name)", F_OK) != 0, let mark,
            mark.position > 0
        else { return }
        throw Unusable(
            why: "\(JournalFile.name) is gone, and had got to row \(mark.position) at least; "
                + "--accept-loss begins anew")
    }

    /// What is missing; nil of a journal that is all there.
    private static func loss(_ scan: JournalScan, _ mark: HighWaterMark?, _ pruned: Int)
        -> String?
    {
        if let mark, mark.position > max(scan.head, pruned) {
            return
                "the journal ends at row \(scan.head), and had got to row \(mark.position) at least: "
                + "what came behind is lost"
        }
        guard scan.lost > 0 else { return nil }
        let rows = scan.lost == 1 ? "a row is" : "\(scan.lost) rows are"
        return "\(rows) missing, and nobody can say whose"
    }

    private static func accept(_ loss: String, _ isAccepted: Bool) throws {
        guard isAccepted else {
            throw Unusable(
                why:
                    "\(loss). See what is there with `gamectl journal check`; --accept-loss goes on "
                    + "without it")
        }
        Log.write(.warning, "\(loss); going on without it")
    }

    private static func hold(_ path: String) throws -> DirectoryLock {
        do { return try DirectoryLock(path) } catch {
            switch error {
            case .inUse: throw Unusable(why: "it is in use; another gamed has it open")
            case .unavailable(let why): throw Unusable(why: "cannot lock it: \(why)")
            }
        }
    }
}
