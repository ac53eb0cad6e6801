package import Access
package import EventLoop
import Journal
import LocalJournals
package import Parts
import Sessions
import Shell
import Support
import Timers

/// Copies each row of the journal to a second place soon after it is durable, so that the loss of the disk loses a few seconds
/// only. The archive is a journal of its own: `gamectl restore` makes a state directory of it.
///
/// Rows are read from the journal, and are not kept in memory: an archive that cannot be written delays nothing, and gets the
/// missing rows later.
package final class JournalArchive: Part, AlertedState {
    private let shard: Shard
    private let authorizer: Authorizer
    private let folder: ArchiveFolder
    private let loop: LibeventLoop
    /// Opens the folder.
    private let jobs: WorkerJobs<Result<ArchiveFolder.Opened, StoreError>>
    /// How long old rows are kept, as in the journal.
    private let retention: Retention

    private var stage = Stage.closed
    /// The reason why the archive cannot be written; nil if it can, or if it has not been tried yet.
    private var failure: String?
    /// The last time at which the archive was complete; before, the time of the start.
    private var completeAt: Instant
    /// Looks for new rows.
    private var ticker = Ticker()
    /// Waits before the next page of a long copy, or before the folder is opened again.
    private var alarm = Alarm()
    /// Called when the archive is complete and closed, because the daemon ends; nil before.
    private var endCallback: (() -> Void)?
    /// Limits how long the end of the daemon waits for the archive.
    private var endLimit = Alarm()

    private enum Stage {
        /// Nothing is in progress, and the folder is not open.
        case closed
        /// A thread opens the folder.
        case opening
        /// Rows are read from the journal, or written to the archive.
        case copying(Archive)
        /// The archive had every row when it was last compared.
        case complete(Archive)
        /// The daemon ends.
        case ended
    }

    /// The archive while it is open.
    private final class Archive {
        let store: any Store
        /// The newest row that both journals are known to have; `start` before the first.
        var end: JournalPosition
        /// Removes old rows; nil until the archive is known to have the rows of the journal.
        var removal: ArchiveRemoval?
        private let authorizer: Authorizer
        /// Which change of the tokens was written last; nil before the first.
        private var tokenChange: Int?

        init(_ store: any Store, end: JournalPosition, _ authorizer: Authorizer) {
            (self.store, self.end, self.authorizer) = (store, end, authorizer)
        }

        var hasTokens: Bool { tokenChange == authorizer.tokenChanges }

        func writeTokens() {
            tokenChange = authorizer.tokenChanges
            store.setNote(JournalNote.archivedTokens, authorizer.tokenText)
        }
    }

    /// The number of rows of a page.
    private static let rowsPerPage = 256
    private static let interval = Duration.seconds(1)
    /// The pause between two pages, in which the journal is free for other work.
    private static let pagePause = Duration.milliseconds(5)
    /// The pause after a failure.
    private static let retryPause = Duration.seconds(10)
    /// How late the archive may be before there is an alert.
    package static let lateness = Duration.seconds(30)
    /// How long the end of the daemon waits for the last rows.
    private static let endTime = Duration.seconds(5)

    /// Begins to archive the journal of the shard, which is in `stateDirectory`. A thread opens the folder at `path`.
    package init(
        of shard: Shard, in path: String, _ authorizer: Authorizer, stateDirectory: String,
        keeping retention: Retention, on loop: LibeventLoop
    ) {
        (self.shard, self.authorizer) = (shard, authorizer)
        folder = ArchiveFolder(
            path: path, stateDirectory: stateDirectory,
            clock: StateDirectory.clockName(isVirtual: shard.sessions.isVirtual))
        (self.retention, self.loop) = (retention, loop)
        jobs = WorkerJobs(on: loop)
        completeAt = loop.now
        open()
        ticker.start(on: loop, Self.interval) { [unowned self] _ in tick() }
    }

    private func tick() {
        guard case .complete(let archive) = stage else { return }
        if isComplete(archive) { noteComplete(archive) } else { copy(to: archive) }
    }

    // MARK: opening

    /// If `replaces` is true, an archive that is there is kept, and a new one begins.
    private func open(replaces: Bool = false) {
        stage = .opening
        do throws(EventLoopError) {
            try jobs.start { [folder] in
                folder.open(replaces: replaces)
            } _: { [weak self] result in
                self?.begin(result)
            }
        } catch { fail("\(error)") }
    }

    private func begin(_ result: Result<ArchiveFolder.Opened, StoreError>) {
        guard case .opening = stage else { return }
        do {
            let opened = try result.get()
            let store = try LocalJournals.first.store(
                in: folder.path, holding: opened.lock, on: loop)
            for note in opened.notes { Log.write(.warning, .storage, note) }
            findEnd(of: store, opened.newestPosition)
        } catch { fail("\(error)") }
    }

    /// Reads the newest row of the archive, and begins to copy the rows after it.
    private func findEnd(of store: any Store, _ position: Int) {
        let archive = Archive(store, end: .start, authorizer)
        stage = .copying(archive)
        store.onFailure = { [weak self, weak archive] why in
            if let self, let archive, isOpen(archive) { fail(why) }
        }
        guard position > 0 else { return copy(to: archive) }
        store.walk(after: position - 1, limit: 1) { [weak self] result in
            guard let self, isCopying(to: archive) else { return }
            switch result {
            case .success(let rows):
                archive.end = rows.first?.journalPosition ?? .start
                copy(to: archive)
            case .failure(let error): fail(error.why)
            }
        }
    }

    private func isCopying(to archive: Archive) -> Bool {
        if case .copying(let present) = stage { present === archive } else { false }
    }

    // MARK: copying

    /// Copies the next page of rows. The page begins with the newest row of the archive, which must be in the journal, too.
    private func copy(to archive: Archive) {
        stage = .copying(archive)
        let end = archive.end
        shard.store.walk(after: max(0, end.position - 1), limit: Self.rowsPerPage) {
            [weak self] result in
            guard let self, isCopying(to: archive) else { return }
            switch result {
            case .success(let rows):
                guard end == .start || rows.first?.journalPosition == end else {
                    return replace(archive)
                }
                // Not before: the tokens of an archive of another journal are kept.
                if !archive.hasTokens { archive.writeTokens() }
                append(Array(rows.dropFirst(end == .start ? 0 : 1)), to: archive)
            // The journal has failed. It tries to recover, and the archive goes on after that.
            case .failure:
                stage = .complete(archive)
                if endCallback != nil { close(archive) }
            }
        }
    }

    private func append(_ rows: [JournalRow], to archive: Archive) {
        guard let last = rows.last else {
            // The answer comes after the tokens, if they were written.
            return archive.store.newest(of: []) { [weak self] result in
                guard let self, isCopying(to: archive) else { return }
                switch result {
                case .success: complete(archive)
                case .failure(let error): fail(error.why)
                }
            }
        }
        // Gaps are rows that were removed from the journal because they were old.
        let positions = [archive.end.position] + rows.map(\.position)
        if let gap = positions.indices.dropFirst().last(where: {
            positions[$0 - 1] < positions[$0] - 1
        }) {
            archive.store.setNote(JournalNote.pruned, String(positions[gap] - 1))
        }
        archive.store.append(rows) { [weak self] outcome in
            guard let self, isCopying(to: archive) else { return }
            if let why = outcome.why { return fail(why) }
            archive.end = last.journalPosition
            guard rows.count >= Self.rowsPerPage - 1 else { return complete(archive) }
            alarm.set(on: loop, Self.pagePause) { [unowned self] in
                if isCopying(to: archive) { copy(to: archive) }
            }
        }
    }

    private func complete(_ archive: Archive) {
        stage = .complete(archive)
        if endCallback != nil {
            // Rows may have become durable since the page was read.
            return isComplete(archive) ? close(archive) : copy(to: archive)
        }
        if failure != nil {
            failure = nil
            Log.write(.info, .storage, "the archive in \(folder.path) is complete again")
        }
        if archive.removal == nil {
            archive.removal = ArchiveRemoval(
                from: archive.store, of: shard.store, shard.sessions, keeping: retention,
                on: loop)
        }
        noteComplete(archive)
    }

    /// Records that the archive is complete now. The mark also finds out whether its files are still in place.
    private func noteComplete(_ archive: Archive) {
        completeAt = loop.now
        archive.store.mark(
            HighWaterMark(
                position: archive.end.position, atNs: shard.sessions.now.nanoseconds))
    }

    private func isComplete(_ archive: Archive) -> Bool {
        archive.end.position >= shard.sessions.durableRow
            && archive.hasTokens
    }

    /// The archive is not one of this journal, for example because an older backup was restored: keeps it, and begins another.
    private func replace(_ archive: Archive) {
        stage = .opening
        archive.store.close { [weak self] in
            guard let self, case .opening = stage else { return }
            open(replaces: true)
        }
    }

    /// The archive cannot be written: closes it, and tries again later.
    private func fail(_ why: String) {
        switch stage {
        case .copying(let archive), .complete(let archive): archive.store.close {}
        case .closed, .opening: break
        case .ended: return
        }
        stage = .closed
        if endCallback != nil { return callEnd() }
        alarm.set(on: loop, Self.retryPause) { [unowned self] in open() }
        if failure != why {
            failure = why
            Log.write(
                .error, .storage, "the archive in \(folder.path) cannot be written: \(why)",
                [.reason(why)])
        }
    }

    private func isOpen(_ archive: Archive) -> Bool {
        switch stage {
        case .copying(let present), .complete(let present): present === archive
        case .closed, .opening, .ended: false
        }
    }

    // MARK: what others see

    /// How long the oldest row that is not archived may have waited; zero if the archive is complete.
    private var lag: Duration {
        if case .complete(let archive) = stage, isComplete(archive) { return .zero }
        return max(.zero, loop.now - completeAt)
    }

    package func update(_ alerts: AlertBoard) {
        let why = failure ?? (lag > Self.lateness ? "it is late" : nil)
        alerts.set(
            .storage, "archive",
            why.map {
                "The archive in \(folder.path) cannot be written: \($0). New changes are only in the journal."
            })
    }

    package func writeMetrics(to page: inout MetricsPage) {
        page.add(.archiveLag, lag)
    }

    // MARK: the end

    /// Copies the last rows, closes the archive, and calls `done`. The journal must have ended its batches, and must be open. An
    /// archive that cannot be written delays the end for a few seconds only.
    package func end(_ done: @escaping () -> Void) {
        ticker.stop()
        endCallback = done
        endLimit.set(on: loop, Self.endTime) { [unowned self] in callEnd() }
        switch stage {
        case .complete(let archive): copy(to: archive)
        // `complete` or `fail` goes on.
        case .opening, .copying: break
        case .closed, .ended: callEnd()
        }
    }

    private func close(_ archive: Archive) {
        stage = .ended
        archive.store.close { [weak self] in self?.callEnd() }
    }

    private func callEnd() {
        stage = .ended
        alarm.stop()
        endLimit.stop()
        exchange(&endCallback, with: nil)?()
    }
}
