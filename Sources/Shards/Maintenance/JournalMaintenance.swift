package import Access
package import EventLoop
package import GameFlow
import Glibc
package import Journal
import LocalJournals
import RPC
package import Sessions
package import Support
import Timers

/// Makes a backup of a journal while the journal is in use, one at a time, and removes old rows.
package final class JournalMaintenance: JournalUpkeep {
    private let shards: OwnShards
    /// The store of one of the shards. A backup of it contains the rows of all shards, because they share one journal.
    private let store: any Store
    /// How long rows that are no longer needed are kept, as text.
    private let retentionText: String
    /// The state directory, or a temporary directory if the journal is in a database. Drafts of backups are made there.
    private let directory: String
    private let loop: LibeventLoop
    /// Provides the hashes of the tokens, which backups include.
    private let authorizer: Authorizer
    private let figureSource: any JournalFigureSource
    private var isMakingBackup = false

    /// The name of the file in which a backup is made before it is copied to the file that a client has passed.
    private static let draftName = "backup.draft"

    package init(
        _ shards: OwnShards, _ store: any Store, _ options: StoreOptions, _ directory: String,
        _ authorizer: Authorizer, _ figureSource: any JournalFigureSource, on loop: LibeventLoop
    ) {
        (self.shards, self.store, retentionText) = (shards, store, options.retentionText)
        self.figureSource = figureSource
        (self.directory, self.authorizer, self.loop) = (directory, authorizer, loop)
        removeDraft()
        InterruptedBackup(recordedIn: directory).removeFiles()
    }

    /// Removes the old rows that nothing needs, even if the removal is suspended because the clock may be wrong. The result says
    /// whether it was suspended, how many rows were removed, and how many old rows are still needed.
    package func prune(_ done: @escaping (Result<[Member], RequestError>) -> Void) {
        if let why = shards.outage { return done(Self.failed(why)) }
        shards.removeOldRows { [retentionText] in
            done(
                $0.map { $0.members(keep: retentionText) }
                    // Some rows may be gone already, and the next round removes the others.
                    .mapError { .storage(why: $0.why, outcome: .unknown) })
        }
    }

    package var figures: JournalFigures? { figureSource.figures }

    // MARK: backups

    /// Writes a copy of the journal and verifies it by reading it; the result describes the copy.
    package func backup(
        to target: BackupTarget, _ done: @escaping (Result<[Member], RequestError>) -> Void
    ) {
        guard !isMakingBackup else { return done(.failure(.limit(which: "backups", limit: 1))) }
        isMakingBackup = true
        let finish = { [unowned self] (result: Result<[Member], RequestError>) in
            isMakingBackup = false
            if case .success = result { figureSource.noteBackup() }
            done(result)
        }
        switch target {
        case .path(let path): makeBackup(at: path, finish)
        case .file(let file): makeBackup(in: file, finish)
        }
    }

    private func makeBackup(
        at path: String, _ done: @escaping (Result<[Member], RequestError>) -> Void
    ) {
        guard !isInStateDirectory(FilePath.directory(of: path)) else {
            return done(Self.failed("\(path) is inside the state directory; choose another place"))
        }
        let record = InterruptedBackup(recordedIn: directory)
        record.begin(path)
        writeBackup(path) { result in
            record.end()
            done(result.map { [Member("to", path)] + $0 }.mapError { Self.explain($0, path) })
        }
    }

    /// Makes the backup as a draft first, because SQLite can write only to a path, not to the descriptor of the passed file.
    private func makeBackup(
        in file: PassedFile, _ done: @escaping (Result<[Member], RequestError>) -> Void
    ) {
        if let why = reasonNotWritable(file) ?? spaceShortage { return done(Self.failed(why)) }
        let draftPath = "\(directory)/\(Self.draftName)"
        writeBackup(draftPath) { [unowned self] result in
            guard case .success(let summary) = result else {
                return done(result.mapError { Self.explain($0, draftPath) })
            }
            FileDelivery.start(draftPath, into: file, on: loop) { [self] why in
                removeDraft()
                done(why.map { Self.failed("the copy: \($0)") } ?? .success(summary))
            }
        }
    }

    /// Writes a backup to a path at which no file exists. The result describes the backup, as members of the
    /// reply.
    private func writeBackup(
        _ path: String, _ done: @escaping (Result<[Member], StoreError>) -> Void
    ) {
        shards.endTurn()
        store.backup(to: path, notes: [JournalNote.tokens: authorizer.tokenText]) { result in
            done(
                result.map { summary in
                    [
                        Member("bytes", summary.bytes), Member("rows", summary.rows),
                        Member("sessions", summary.sessions), Member("position", summary.position),
                        Member("damaged", summary.damaged),
                        // `backup` fails if the verification of the copy fails.
                        Member("verified", .bool(true)),
                    ]
                })
        }
    }

    /// A sentence which says that there is not enough space for the draft of a backup. Nil if there is enough space, or if the
    /// free space is not known.
    private var spaceShortage: String? {
        guard let free = DiskSpace(ofFileSystemWith: directory)?.freeBytes else { return nil }
        let needed = LocalJournals.size(in: directory)
            .addingReportingOverflow(Self.spareBytes).partialValue
        guard free < needed else { return nil }
        return
            "a backup is drafted in \(directory), where \(needed >> 20) MiB are needed and "
            + "\(free >> 20) MiB are free"
    }

    /// The space in bytes that a backup must leave free for the journal.
    private static let spareBytes: UInt64 = 16 << 20

    /// Removes the draft, and the files that an interrupted backup leaves. These are the unfinished copy, and SQLite's files
    /// for the copy.
    private func removeDraft() {
        for suffix in ["", ".part", ".part-wal", ".part-journal"] {
            unlink("\(directory)/\(Self.draftName)\(suffix)")
        }
    }

    /// Whether a directory is the state directory or inside it.
    private func isInStateDirectory(_ path: String) -> Bool {
        guard let ownPath = FilePath.resolved(directory),
            let otherPath = FilePath.resolved(path)
        else { return false }
        return otherPath == ownPath || otherPath.hasPrefix(ownPath + "/")
    }

    /// The reason why a backup cannot be written to a file; nil if it can. Wraps fstat(2),
    /// fcntl(2).
    private func reasonNotWritable(_ file: PassedFile) -> String? {
        var status = stat()
        guard fstat(file.descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size == 0, fcntl(file.descriptor, F_GETFL) & O_ACCMODE == O_RDWR
        else { return "the file that was passed: expected an empty one, open to read and write" }
        let filePath = FilePath.resolved("/proc/self/fd/\(file.descriptor)")
        guard let filePath, isInStateDirectory(FilePath.directory(of: filePath)) else { return nil }
        return "the file that was passed is inside the state directory; choose another place"
    }

    /// The error `storage` with a sentence for the operator; nothing was changed.
    private static func failed(_ why: String) -> Result<[Member], RequestError> {
        .failure(.storage(why: why, outcome: .undone))
    }

    /// The error `storage` for a failure of the store while it wrote a backup to the path.
    private static func explain(_ error: StoreError, _ path: String) -> RequestError {
        .storage(why: "the daemon cannot write \(path): \(error.why)", outcome: .undone)
    }
}

/// The destination of a backup.
package enum BackupTarget: Sendable {
    /// A path on the daemon's machine at which no file exists.
    case path(String)
    /// A file that the client has opened and passed, because its path may mean another file to the daemon.
    case file(PassedFile)
}
