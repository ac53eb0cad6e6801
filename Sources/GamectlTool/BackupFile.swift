import CLinux
import EventLoop
import GameFlow
import Glibc
import Shell
import Timers

/// The file of `gamectl backup PATH`. gamectl opens it, so that a relative path is relative to the caller's
/// directory; the daemon writes through the descriptor. The file is called `PATH.part` until it is complete.
final class BackupFile {
    let path: String
    let descriptor: Int32
    private let partPath: String
    private var isDone = false
    private var signals: [SignalHandle] = []

    /// Creates `PATH.part`. Throws if `path` exists. A signal that ends gamectl removes the file.
    init(_ path: String, on loop: LibeventLoop) throws(CommandError) {
        (self.path, partPath) = (path, "\(path).part")
        var status = stat()
        guard lstat(path, &status) != 0 else {
            throw .malformed([
                "gamectl: backup: \(TerminalSafe.escaped(path)) exists already"
            ])
        }
        descriptor = open(partPath, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let hint =
                errno == EEXIST
                ? "; another backup is running. If no backup is running, remove the file" : ""
            throw Self.failure(partPath, hint)
        }
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            let handle = try? SignalHandle(signal, on: loop) { [partPath] in
                unlink(partPath)
                exit(128 + signal)
            }
            if let handle { signals.append(handle) }
        }
    }

    deinit {
        close(descriptor)
        if !isDone { unlink(partPath) }
    }

    /// Renames the file to its path and syncs the directory. Wraps renameat2(2), fsync(2).
    func finish() throws(CommandError) {
        guard linux_rename_new(partPath, path) == 0 || renamePlainly() else {
            throw Self.failure(path)
        }
        isDone = true
        let parent = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let directory = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return }
        defer { close(directory) }
        // An error is ignored: the file itself is complete, and some file systems cannot sync a directory.
        fsync(directory)
    }

    /// Renames the file on a file system that does not support RENAME_NOREPLACE.
    private func renamePlainly() -> Bool {
        var status = stat()
        guard errno == EINVAL || errno == ENOSYS, lstat(path, &status) != 0 else { return false }
        return rename(partPath, path) == 0
    }

    private static func failure(_ path: String, _ hint: String = "") -> CommandError {
        let why = String(cString: strerror(errno))
        return .malformed(["gamectl: backup: \(TerminalSafe.escaped(path)): \(why)\(hint)"])
    }
}
