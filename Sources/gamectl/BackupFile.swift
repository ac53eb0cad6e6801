import CLinux
import EventLoop
import GameFlow
import Glibc
import Shell
import Timers

/// The file of `gamectl backup PATH`. It is opened here, where the path means what the caller means by it; the
/// daemon writes into it through the descriptor; it gets its name when all of it is there.
final class BackupFile {
    let path: String
    let descriptor: Int32
    private let part: String
    private var isDone = false
    private var signals: [SignalHandle] = []

    /// Opens a new file beside the path, at which there must be nothing. A signal that ends gamectl removes it.
    init(_ path: String, on loop: LibeventLoop) throws(Failure) {
        (self.path, part) = (path, "\(path).part")
        var status = stat()
        guard lstat(path, &status) != 0 else {
            throw .malformed([
                "gamectl: backup: there is something at \(TerminalSafe.word(path)) already"
            ])
        }
        descriptor = open(part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let hint = errno == EEXIST ? "; another backup is being made, or was interrupted" : ""
            throw Self.failure(part, hint)
        }
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            let handle = try? SignalHandle(signal, on: loop) { [part] in
                unlink(part)
                exit(128 + signal)
            }
            if let handle { signals.append(handle) }
        }
    }

    deinit {
        close(descriptor)
        if !isDone { unlink(part) }
    }

    /// Gives the file its name, on the disk too. Wraps renameat2(2), fsync(2).
    func finish() throws(Failure) {
        guard linux_rename_new(part, path) == 0 || renamePlainly() else {
            throw Self.failure(path)
        }
        isDone = true
        let parent = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let directory = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return }
        defer { close(directory) }
        // The copy is there; some media have nothing to bring to the disk here.
        fsync(directory)
    }

    /// For a file system that cannot refuse to replace a file.
    private func renamePlainly() -> Bool {
        var status = stat()
        guard errno == EINVAL || errno == ENOSYS, lstat(path, &status) != 0 else { return false }
        return rename(part, path) == 0
    }

    private static func failure(_ path: String, _ hint: String = "") -> Failure {
        let why = String(cString: strerror(errno))
        return .malformed(["gamectl: backup: \(TerminalSafe.word(path)): \(why)\(hint)"])
    }
}
