import Glibc
import Support

/// A backup to a path outside of the state directory. The state directory has the path until the backup is complete, so that the
/// next start can remove the unfinished files of a backup that was interrupted by the end of the daemon.
package struct InterruptedBackup {
    /// The file that contains the path.
    private let record: String
    private static let pathLimit = 4096

    package init(recordedIn directory: String) { record = "\(directory)/backup-target" }

    /// Records the path of a backup. If the record cannot be written, an interruption leaves the unfinished files.
    package func begin(_ path: String) {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        guard let directory = FilePath.resolved(FilePath.directory(of: path)) else { return }
        guard let file = fopen(record, "we") else { return }
        fputs("\(directory)/\(name)", file)
        fclose(file)
    }

    package func end() { unlink(record) }

    /// Removes the unfinished files of a backup that was interrupted.
    package func removeFiles() {
        guard let file = fopen(record, "re") else { return }
        var bytes = [UInt8](repeating: 0, count: Self.pathLimit)
        let count = fread(&bytes, 1, bytes.count, file)
        fclose(file)
        let path = String(decoding: bytes[..<count], as: UTF8.self)
        if path.utf8.first == UInt8(ascii: "/") {
            for suffix in [".part", ".part-wal", ".part-journal", ".part-shm"] {
                unlink(path + suffix)
            }
        }
        end()
    }
}
