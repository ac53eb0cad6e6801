import Glibc
import LocalJournals
import Sessions

/// The figures of a journal in a directory, from the directory's files.
package final class DirectoryFigures: JournalFigureSource {
    private let shards: OwnShards
    private let directory: String

    package init(_ shards: OwnShards, in directory: String) {
        (self.shards, self.directory) = (shards, directory)
    }

    package var figures: JournalFigures? {
        shards.only.map {
            JournalFigures(
                rows: $0.sessions.durableRow,
                bytes: Int(clamping: LocalJournals.size(in: directory)), lastBackup: lastBackup)
        }
    }

    /// The time of a file in the state directory, so that it is known after a restart, too. Wraps stat(2).
    private var lastBackup: Int {
        var status = stat()
        return stat(backupTimePath, &status) == 0 ? status.st_mtim.tv_sec : 0
    }

    private var backupTimePath: String { "\(directory)/\(Self.backupTimeName)" }
    /// The name of the empty file whose time is that of the last backup.
    private static let backupTimeName = "journal.saved"

    /// Wraps open(2) and futimens(3).
    package func noteBackup() {
        let descriptor = open(backupTimePath, O_WRONLY | O_CREAT | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else { return }
        futimens(descriptor, nil)
        close(descriptor)
    }
}
