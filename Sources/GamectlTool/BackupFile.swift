import CLinux
import EventLoop
import GameFlow
import Glibc
import Shell
import Timers

/// The file of `gamectl backup PATH`. gamectl creates the file, because a relative path starts at gamectl's working directory.
/// The daemon gets the descriptor and writes the backup. Until `finish` is called, the file's name is `PATH.part`. If this
/// object is released without a call of `finish`, the file is removed.
final class BackupFile {
    /// The path of the complete backup.
    let path: String
    /// The descriptor of the open file, for reading and writing.
    let descriptor: Int32
    /// The path of the incomplete backup: `path` with `.part`.
    private let partPath: String
    /// Whether the file has its final name.
    private var isFinished = false
    /// The handlers of the signals that end gamectl.
    private var signalHandles: [SignalHandle] = []

    /// Creates `PATH.part`. Throws if `PATH` or `PATH.part` exists. If a signal ends gamectl, `PATH.part` is removed.
    init(_ path: String, on loop: LibeventLoop) throws(CommandError) {
        (self.path, partPath) = (path, "\(path).part")
        var status = stat()
        guard lstat(path, &status) != 0 else {
            throw .malformed([
                "gamectl: backup: \(TerminalSafe.escaped(path)) exists already"
            ])
        }
        // Only the user may read the file: a backup contains what the players' sessions contain, and token hashes.
        descriptor = open(partPath, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let code = errno
            let hint =
                code == EEXIST
                ? "; another backup is running. If no backup is running, remove the file" : ""
            throw Self.failure(partPath, code, hint)
        }
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            // Without a handler the backup works too; a signal then leaves `PATH.part` behind.
            let handle = try? SignalHandle(signal, on: loop) { [partPath] in
                unlink(partPath)
                // The status that shells report for a program that a signal ended.
                exit(128 + signal)
            }
            if let handle { signalHandles.append(handle) }
        }
    }

    deinit {
        close(descriptor)
        if !isFinished { unlink(partPath) }
    }

    /// Renames `PATH.part` to `PATH` and syncs the directory. Call when the daemon has written the whole backup. Throws if
    /// `PATH` exists. Wraps renameat2(2), fsync(2).
    func finish() throws(CommandError) {
        let renameError = rename()
        guard renameError == 0 else { throw Self.failure(path, renameError) }
        isFinished = true
        let parent = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let directory = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return }
        defer { close(directory) }
        // An error is ignored: the file itself is complete, and some file systems cannot sync a directory.
        fsync(directory)
    }

    /// Gives the file its final name, unless a file of that name exists. Returns 0, or the number of the error, as errno has it.
    private func rename() -> Int32 {
        if linux_rename_new(partPath, path) == 0 { return 0 }
        guard errno == EINVAL || errno == ENOSYS else { return errno }
        // The file system does not support RENAME_NOREPLACE.
        var status = stat()
        if lstat(path, &status) == 0 { return EEXIST }
        return Glibc.rename(partPath, path) == 0 ? 0 : errno
    }

    /// The error for a system call that failed with this value of errno.
    private static func failure(_ path: String, _ code: Int32, _ hint: String = "") -> CommandError
    {
        let why = String(cString: strerror(code))
        return .malformed(["gamectl: backup: \(TerminalSafe.escaped(path)): \(why)\(hint)"])
    }
}
