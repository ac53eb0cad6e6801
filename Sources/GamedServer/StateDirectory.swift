import CLinux
import Durability
import EventLoop
import Glibc
import Journal
import SQLiteStore
import Sessions
import Shell
import Support
import Timers

/// The state directory: locked, and read completely at the start. Only this file of the program
/// uses SQLite types.
struct StateDirectory: RestoredJournal {
    let path: String
    /// While this object exists, no other process can use the directory.
    private let lock: DirectoryLock
    /// The content of the journal, from which the sessions are restored.
    let content: Sessions.JournalContent
    /// The last time at which a daemon with this directory is known to have run; nil if none ever ran.
    let lastAlive: Instant?
    /// The positions of the rows of the last hour, by the times of these rows.
    let times: RowTimes
    /// The instance name of the daemon whose state is continued.
    let instance: String
    /// The number of rows.
    let rows: Int
    /// Whether old rows are removed only after the operator allows it, because the clock is so far
    /// ahead that it may be wrong.
    let holdsPruning: Bool

    /// Reads the journal of a directory, and creates both if they are missing. `answerLimit` is the number of answers to requests
    /// with an id that the daemon remembers. `newInstance` is the daemon's instance name if the journal has none that can be
    /// continued. Throws `StateDirectoryError`, or a `StoreError`.
    init(_ options: Options, at path: String, answerLimit: Int, newInstance: String) throws {
        do { try self.init(reading: path, options, answerLimit, newInstance) } catch let error
            as SQLiteError
        { throw StoreError(opening: error) }
    }

    var temporaryDirectory: String { path }
    var location: String { path }

    /// The store for new rows. It takes over the directory's lock.
    func store(on loop: LibeventLoop) throws(EventLoopError) -> any Store {
        try SQLiteStore(path, holding: lock, on: loop)
    }

    /// The paths of the files that contain rows.
    static func journalPaths(in directory: String) -> [String] {
        ["", "-wal"].map { "\(directory)/\(JournalFile.name)\($0)" }
    }

    private init(
        reading path: String, _ options: Options, _ answerLimit: Int, _ newInstance: String
    )
        throws
    {
        self.path = path
        try Self.makeDirectory(path)
        for name in [DirectoryLock.name, HighWaterMarkFile.name, JournalFile.name]
        where FilePath.isIrregular("\(path)/\(name)") {
            throw StateDirectoryError(why: "\(name) is not a regular file")
        }
        lock = try Self.acquireLock(path)
        let mark = HighWaterMarkFile.newest(in: path)
        try Self.expectJournal(path, mark, options.acceptsLoss)
        let file = try Self.open(path)
        try Self.check(file, clock: options.isVirtual ? "virtual" : "real")
        let pruned = try file.pruned()
        var reading = JournalReading(pruned: pruned, answerLimit: answerLimit)
        var progress = Progress("gamed: reading the journal", of: try file.newestPosition())
        try file.rows { row in
            reading.add(row)
            progress.show(row.position)
            return true
        }
        progress.end()
        let loss = Self.loss(reading.scan, mark, pruned)
        if let loss { try Self.accept(loss, isAccepted: options.acceptsLoss) }
        rows = reading.scan.count
        let latestRowTime = reading.latestTime
        times = reading.times
        // Consuming `reading` lets the memory of its rows be released while the sessions are
        // restored.
        content = (consume reading).content()
        let markTime = Instant(nanoseconds: mark?.atNs ?? 0)
        lastAlive =
            rows == 0 ? nil : options.isVirtual ? latestRowTime : max(latestRowTime, markTime)
        holdsPruning = try Self.holdsPruning(file, lastAlive, options)
        // If rows were lost, clients may know change numbers that are used again, so the daemon
        // must have another instance name.
        let recordedInstance = rows == 0 || loss != nil ? nil : try file.note("instance")
        try Self.takeTokens(from: file, options.tokenFile)
        instance = recordedInstance ?? newInstance
        if recordedInstance == nil { try file.setNote("instance", newInstance) }
    }

    /// Opens the journal. A journal of an earlier version is converted, which takes time if it is long.
    private static func open(_ path: String) throws -> JournalFile {
        var progress: Progress?
        let file = try JournalFile(path) { done, total in
            if progress == nil { progress = Progress("gamed: converting the journal", of: total) }
            progress?.show(done)
        }
        progress?.end()
        if file.version != JournalFile.newestVersion {
            Log.write(
                .info, "the journal in \(path) had version \(file.version) and has been converted")
        }
        return file
    }

    /// The name of the note in the journal which says that the removal of old rows is held.
    static let heldNote = "pruning held"
    /// The clock is not doubted if the daemon was stopped for less than this time, even if rows are kept for a shorter time.
    private static let ordinaryDowntime = Duration.seconds(86_400)

    /// Whether the removal of old rows is held. It is held if an earlier start held it, or if the clock is ahead of the last
    /// run by more than `ordinaryDowntime` and by more than the time for which rows are kept: if the clock is wrong, all rows
    /// would be removed.
    private static func holdsPruning(
        _ file: JournalFile, _ lastAlive: Instant?, _ options: Options
    ) throws -> Bool {
        if try file.note(heldNote) != nil { return true }
        guard !options.isVirtual, let lastAlive, let keep = options.keep else { return false }
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let downtime = Instant.zero + .seconds(Int64(time.tv_sec)) - lastAlive
        guard downtime > max(keep, ordinaryDowntime) else { return false }
        Log.write(
            .warning,
            "the clock is \(downtime.milliseconds / 86_400_000) days ahead of the last time the daemon ran, "
                + "and rows are kept for \(DurationText.write(keep)): nothing is removed until you run "
                + "`gamectl journal prune --yes`")
        try file.setNote(heldNote, "yes")
        return true
    }

    /// Restores the tokens from a journal that was made from a backup: writes the token file,
    /// unless it exists.
    private static func takeTokens(from file: JournalFile, _ path: String?) throws {
        guard let text = try file.note(JournalMaintenance.tokensNote) else { return }
        if let path, !text.isEmpty {
            if access(path, F_OK) == 0 {
                Log.write(.warning, "\(path) exists; the tokens of the backup are ignored")
            } else {
                do throws(TokenFile.TokenError) { try TokenFile.restore(text, at: path) } catch {
                    throw StateDirectoryError(why: "cannot write the backup's tokens to \(path)")
                }
            }
        }
        try file.removeNote(JournalMaintenance.tokensNote)
    }

    /// Makes the directory unless it exists.
    private static func makeDirectory(_ path: String) throws {
        // The new directory entry must be durable, or a power failure could remove the whole
        // directory.
        if mkdir(path, 0o750) == 0 {
            if FilePath.syncDirectory("\(path)/..") { return }
            throw StateDirectoryError(
                why: "cannot sync \(path)/..: \(String(cString: strerror(errno)))")
        }
        guard errno == EEXIST else {
            throw StateDirectoryError(why: "cannot make it: \(String(cString: strerror(errno)))")
        }
    }

    /// Throws if the journal was written with the other clock, real or virtual: its times have no meaning on this clock.
    private static func check(_ file: JournalFile, clock: String) throws {
        guard let old = try file.note("clock") else { return try file.setNote("clock", clock) }
        guard old == clock else {
            throw StateDirectoryError(
                why: "its journal was written with the \(old) clock: run with --clock \(old), "
                    + "or with another directory")
        }
    }

    /// Throws if the journal is missing although there was one, unless the operator accepts the
    /// loss.
    private static func expectJournal(
        _ path: String, _ mark: HighWaterMark?, _ acceptsLoss: Bool
    ) throws {
        guard !acceptsLoss, access("\(path)/\(JournalFile.name)", F_OK) != 0, let mark,
            mark.position > 0
        else { return }
        throw StateDirectoryError(
            why: "\(JournalFile.name) is missing, but had reached row \(mark.position) at least; "
                + "--accept-loss starts with a new one")
    }

    /// The missing rows as a sentence; nil if the journal is complete.
    static func loss(_ scan: JournalScan, _ mark: HighWaterMark?, _ pruned: Int)
        -> String?
    {
        if let mark, mark.position > max(scan.newestPosition, pruned) {
            return
                "the journal ends at row \(scan.newestPosition), but had reached row \(mark.position) at least: "
                + "later rows are lost"
        }
        guard scan.lost > 0 else { return nil }
        let rows = scan.lost == 1 ? "a row is" : "\(scan.lost) rows are"
        return "\(rows) missing, and their sessions are unknown"
    }

    /// Throws if the operator does not accept the loss of rows; otherwise logs the loss.
    static func accept(_ loss: String, isAccepted: Bool) throws {
        guard isAccepted else {
            throw StateDirectoryError(
                why:
                    "\(loss). Inspect it with `gamectl journal check`; --accept-loss continues "
                    + "without it")
        }
        Log.write(.warning, "\(loss); continuing without")
    }

    private static func acquireLock(_ path: String) throws -> DirectoryLock {
        do { return try DirectoryLock(path) } catch { throw StateDirectoryError(why: error.why) }
    }
}

/// The reason why the daemon cannot continue from the directory.
struct StateDirectoryError: DescribedError {
    let why: String
}
