import Glibc
import JSON
import Shell

/// The file of `gamectl backup PATH`: opened here, where the path means what the caller means by it, written by
/// the daemon through the descriptor that it is passed, and given its name when all of it is there.
final class BackupFile {
    let path: String
    let descriptor: Int32
    private let part: String
    private var isDone = false

    /// Opens a new file beside the path, at which there must be nothing.
    init(_ path: String) throws(Failure) {
        (self.path, part) = (path, "\(path).part")
        guard access(path, F_OK) != 0 else {
            throw .usage("backup: there is something at \(Shown.word(path)) already")
        }
        descriptor = open(part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure(part) }
    }

    deinit {
        close(descriptor)
        if !isDone { unlink(part) }
    }

    /// Gives the file its name, on the disk too. Wraps link(2), fsync(2).
    func finish() throws(Failure) {
        guard link(part, path) == 0, unlink(part) == 0 else { throw Self.failure(path) }
        isDone = true
        let slash = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let directory = open(slash, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw Self.failure(slash) }
        defer { close(directory) }
        guard fsync(directory) == 0 else { throw Self.failure(slash) }
    }

    private static func failure(_ path: String) -> Failure {
        .usage("backup: \(Shown.word(path)): \(String(cString: strerror(errno)))")
    }
}
