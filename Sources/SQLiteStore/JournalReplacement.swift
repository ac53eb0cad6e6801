internal import CSQLite
internal import Glibc

/// Puts a backup, or the copy that a conversion has kept, in the place of the journal of a state directory. The old files are
/// moved aside, not removed. The directory must be locked meanwhile. Calls block on the disk.
struct JournalReplacement {
    private let backup: String
    private let directory: String
    /// What is added to the names of the old files.
    private let suffix: String
    private let disk = PlainDisk()

    /// A replacement by the file at `backup`. The old files get names that end in `suffix`.
    init(of directory: String, by backup: String, suffix: String) {
        (self.directory, self.backup, self.suffix) = (directory, backup, suffix)
    }

    /// Copies the backup into the directory, moves the files with the names `oldNames` aside, and puts the copy in their place. If
    /// this is interrupted, the directory has either the old journal, or no journal and the old files under their new names.
    /// Returns the new names.
    func perform(movingAside oldNames: [String]) throws(SQLiteError) -> [String] {
        let target = "\(directory)/\(JournalFile.name)"
        let part = "\(target).part"
        try disk.remove(part)
        do throws(SQLiteError) {
            try copy(to: part, likeFileAt: disk.exists(target) ? target : directory)
            try disk.sync(part)
        } catch {
            try? disk.remove(part)
            throw error
        }
        var movedNames: [String] = []
        for name in oldNames where disk.exists("\(directory)/\(name)") {
            let newName = "\(name).\(suffix)"
            try disk.rename("\(directory)/\(name)", to: "\(directory)/\(newName)")
            movedNames.append(newName)
        }
        try disk.syncDirectory(directory)
        try disk.rename(part, to: target)
        try disk.syncDirectory(directory)
        return movedNames
    }

    /// Copies the backup. The copy gets the owner of the file or directory at `model`, and the mode of a journal.
    private func copy(to part: String, likeFileAt model: String) throws(SQLiteError) {
        let source = open(backup, O_RDONLY | O_CLOEXEC)
        guard source >= 0 else { throw Self.error(backup) }
        defer { close(source) }
        let target = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o640)
        guard target >= 0 else { throw Self.error(part) }
        defer { close(target) }
        while true {
            let count = sendfile(target, source, nil, 1 << 20)
            if count == 0 { break }
            guard count > 0 else { throw Self.error(part) }
        }
        var status = stat()
        // Only root may give a file away; for any other user, the owner of the directory is usually the user.
        if stat(model, &status) == 0, geteuid() == 0 {
            guard fchown(target, status.st_uid, status.st_gid) == 0 else {
                throw Self.error(part)
            }
        }
    }

    /// The error of the latest system call for a file.
    private static func error(_ path: String) -> SQLiteError {
        let code = errno == ENOSPC ? SQLITE_FULL : SQLITE_IOERR
        return SQLiteError(code: code, "\(path): \(String(cString: strerror(errno)))")
    }
}
