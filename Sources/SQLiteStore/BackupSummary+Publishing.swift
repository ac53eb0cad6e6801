internal import CSQLite
internal import Glibc
internal import Journal

extension BackupSummary {
    /// Syncs the finished copy at `part` to the disk, and renames it to `path`. Returns a summary of the copy; `scan` is the
    /// result of reading all its rows. Throws if a file exists at `path`.
    static func publish(_ part: String, as path: String, _ scan: JournalScan) throws(SQLiteError)
        -> BackupSummary
    {
        let disk = PlainDisk()
        try disk.sync(part)
        // Unlike rename(2), link(2) does not replace a file that was created at `path` in the meantime.
        guard link(part, path) == 0 else {
            throw SQLiteError(code: SQLITE_IOERR, "\(path): \(String(cString: strerror(errno)))")
        }
        // The backup is complete even if its second name cannot be removed.
        unlink(part)
        try disk.syncDirectory(JournalFile.directory(of: path))
        var status = stat()
        stat(path, &status)
        return BackupSummary(
            bytes: Int(status.st_size), rows: scan.count, sessions: scan.sessions,
            position: scan.newestPosition, damaged: scan.damage.count)
    }
}
