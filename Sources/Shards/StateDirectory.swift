import Access
import CLinux
import Durability
package import EventLoop
import Glibc
package import Journal
import LocalJournals
package import Parts
import Sessions
import Shell
import Support
import Timers

/// The state directory, which is locked and read completely at the start of the daemon. The daemon then uses `RestoredRows` and the
/// protocol `Store`.
package struct StateDirectory {
    package let path: String
    /// The kind of its journal.
    private let kind: any LocalJournal.Type
    /// While this object exists, no other process can use the directory.
    private let lock: DirectoryLock
    private let rows: ReadRows
    /// The instance name of the data: the recorded name, or `newInstance` if the recorded name cannot be continued.
    package let instance: String
    /// Whether this start has made the journal. An operator who expects the sessions of yesterday must notice it.
    package let isNew: Bool

    /// Locks the directory and reads its journal. Creates the directory and the journal if they are missing. `answerLimit` is
    /// the number of answers to requests with an id that the daemon remembers. `newInstance` is the daemon's instance name if
    /// the journal has none that can be continued. Throws `StateDirectoryError`, or a `StoreError`.
    package init(_ options: Options, at path: String, answerLimit: Int, newInstance: String) throws
    {
        self.path = path
        try Self.makeDirectory(path)
        kind = LocalJournals.kind(in: path)
        for name in [DirectoryLock.name, HighWaterMarkFile.name, kind.fileName]
        where FilePath.isIrregular("\(path)/\(name)") {
            throw StateDirectoryError(why: "\(name) is not a regular file")
        }
        lock = try Self.acquireLock(path)
        // A position that the journal is known to have reached, and when; nil if none was recorded.
        let mark = HighWaterMarkFile.newest(in: path)
        isNew = !LocalJournals.hasJournal(path)
        if isNew { try Self.checkNoneLost(kind, mark, options.store.acceptsLoss) }
        let file = try Self.open(kind, path)
        try Self.checkClock(
            of: file, is: Self.clockName(isVirtual: options.sessions.isVirtual))
        // The position up to which old rows were removed.
        let pruned = try file.prunedUpTo()
        var reading = JournalReading(prunedUpTo: pruned, answerLimit: answerLimit)
        var progress = Progress("gamed: reading the journal", of: try file.newestPosition())
        try file.rows { row in
            reading.add(row)
            progress.show(row.position)
            return true  // Reads the next row.
        }
        progress.end()
        let loss = Self.loss(reading.scan, mark, pruned)
        if let loss { try Self.requireAcceptance(of: loss, isAccepted: options.store.acceptsLoss) }
        if loss != nil || isNew, let mark {
            // A kill before the next mark would make the accepted loss a new one.
            let accepted = HighWaterMark(
                position: reading.scan.newestPosition, atNs: mark.atNs &+ 1)
            HighWaterMarkFile(path)?.write(accepted)
        }
        let (count, latestRowTime, times) = (
            reading.scan.count, reading.latestTime, reading.times
        )
        // Consuming `reading` lets the memory of its rows be released while the sessions are
        // restored.
        let content = (consume reading).content()
        let markTime = Instant(nanoseconds: mark?.atNs ?? 0)
        // While the daemon runs without changes, it records the real time in the mark.
        let lastAlive =
            count == 0
            ? nil : options.sessions.isVirtual ? latestRowTime : max(latestRowTime, markTime)
        rows = ReadRows(
            content: content, times: times, lastAlive: lastAlive, count: count,
            holdsPruning: try Self.holdsPruning(file, lastAlive, options))
        // If rows were lost, clients may know change numbers that are used again, so the daemon
        // must have another instance name.
        let recordedInstance = count == 0 || loss != nil ? nil : try file.note("instance")
        try Self.restoreTokens(
            from: file, options.access.tokenFile(stateDirectory: options.store.stateDirectory))
        instance = recordedInstance ?? newInstance
        if recordedInstance == nil { try file.setNote("instance", newInstance) }
    }

    /// What the shard is restored from. Its store takes over the directory's lock. Call it once.
    package func restoredRows(on loop: LibeventLoop) throws(EventLoopError) -> RestoredRows {
        RestoredRows(rows, in: try kind.store(in: path, holding: lock, on: loop))
    }

    /// Opens the journal. A journal of version 2 is converted first; the progress is shown, because the conversion of
    /// a long journal takes time.
    private static func open(_ kind: any LocalJournal.Type, _ path: String) throws
        -> any LocalJournal
    {
        var progress: Progress?
        let file = try kind.init(in: path, converting: nil) { done, total in
            if progress == nil { progress = Progress("gamed: converting the journal", of: total) }
            progress?.show(done)
        }
        progress?.end()
        if file.version != RowFormat.newestVersion {
            Log.write(
                .info, .start,
                "the journal in \(path) had version \(file.version) and has been converted to version "
                    + "\(RowFormat.newestVersion); the old file is "
                    + "\(kind.copyPath(of: file.version, in: path)), and `gamectl restore` leads back"
            )
        }
        return file
    }

    /// The name of the note in the journal which says that the removal of old rows is held.
    package static let heldNote = "pruning held"
    /// If the daemon was stopped for less than this time, the clock is trusted. This is so even if rows are kept for a shorter
    /// time.
    private static let ordinaryDowntime = Duration.seconds(86_400)

    /// Whether the removal of old rows is held. There are two reasons. An earlier start held it, or the clock is too far ahead
    /// of the last run. Too far is more than `ordinaryDowntime`, and more than the time for which rows are kept. If the clock
    /// is too far ahead, all rows would be removed at once. If the clock is also wrong, that would be a loss.
    private static func holdsPruning(
        _ file: any LocalJournal, _ lastAlive: Instant?, _ options: Options
    ) throws -> Bool {
        if try file.note(heldNote) != nil { return true }
        guard !options.sessions.isVirtual, let lastAlive,
            case .limited(let keep) = options.store.retention
        else { return false }
        let downtime = WallClock.now - lastAlive
        guard downtime > max(keep, ordinaryDowntime) else { return false }
        Log.write(
            .warning, .clock,
            "the clock is \(DurationText.words(downtime)) ahead of the last time the daemon ran, "
                + "and rows are kept for \(DurationText.write(keep)): nothing is removed until you run "
                + "`gamectl journal prune --yes`")
        try file.setNote(heldNote, "yes")
        return true
    }

    /// Restores the tokens from a journal that was made from a backup. Writes the token file `path`, unless the file exists.
    /// Then removes the tokens from the journal. Without a path, only removes the tokens.
    private static func restoreTokens(from file: any LocalJournal, _ path: String?) throws {
        let copied = try file.note(JournalNote.tokens)
        guard let text = try copied ?? file.note(JournalNote.archivedTokens) else { return }
        if let path, !text.isEmpty {
            if access(path, F_OK) == 0 {
                Log.write(.warning, .start, "\(path) exists; the tokens of the backup are ignored")
            } else {
                do throws(TokenFile.TokenError) { try TokenFile.restore(text, at: path) } catch {
                    throw StateDirectoryError(why: "cannot write the backup's tokens to \(path)")
                }
            }
        }
        try file.removeNote(JournalNote.tokens)
        try file.removeNote(JournalNote.archivedTokens)
        // From here on, the file does not count as a copy any more. This must be so before the log gets rows.
        try file.checkpoint()
    }

    /// Makes the directory unless it exists.
    static func makeDirectory(_ path: String) throws {
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

    /// The name in the journal of the clock that the times in its rows are of.
    static func clockName(isVirtual: Bool) -> String { isVirtual ? "virtual" : "real" }

    /// Throws if the journal was written with another clock than `clock`, which is `real` or `virtual`: the recorded times
    /// would have no meaning. Records the clock in a new journal.
    static func checkClock(of file: any LocalJournal, is clock: String) throws {
        guard let recordedClock = try file.note(JournalNote.clock) else {
            return try file.setNote(JournalNote.clock, clock)
        }
        guard recordedClock == clock else {
            throw StateDirectoryError(
                why: "its journal was written with the \(recordedClock) clock: "
                    + "run with --clock \(recordedClock), "
                    + "or with another directory")
        }
    }

    /// The high-water mark shows whether a journal that is missing had rows. Throws if it had, unless the operator accepts the loss.
    private static func checkNoneLost(
        _ kind: any LocalJournal.Type, _ mark: HighWaterMark?, _ acceptsLoss: Bool
    ) throws {
        guard !acceptsLoss, let mark, mark.position > 0 else { return }
        throw StateDirectoryError(
            why: "\(kind.fileName) is missing, but had reached row \(mark.position) at least; "
                + "--accept-loss starts with a new one")
    }

    /// A sentence about the missing rows; nil if the journal is complete. `mark` is a position that the journal is known to
    /// have reached; `pruned` is the position up to which old rows were removed. `ShardRouter` uses this function for shards.
    package static func loss(_ scan: JournalScan, _ mark: HighWaterMark?, _ pruned: Int)
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
    static func requireAcceptance(of loss: String, isAccepted: Bool) throws {
        guard isAccepted else {
            throw StateDirectoryError(
                why:
                    "\(loss). Inspect the journal with `gamectl journal check`; --accept-loss "
                    + "continues without the lost rows")
        }
        Log.write(.warning, .start, "\(loss); continuing without the lost rows")
    }

    /// Locks the directory. Throws if another process uses it. Waits a second for a process that was killed just now.
    static func acquireLock(_ path: String) throws -> DirectoryLock {
        do { return try DirectoryLock(path, patience: .seconds(1)) } catch {
            throw StateDirectoryError(why: error.why)
        }
    }
}

/// The reason why the daemon cannot start with the state directory.
package struct StateDirectoryError: DescribedError {
    package let why: String
}
