internal import CSQLite
internal import Glibc

/// The file of a copy in progress, for `Backup` and `JournalCopy`: the copy to PATH is at `PATH.part` until it is complete.
enum PartFile {
    /// Creates the empty file `PATH.part`, which only its owner may read, and returns its path. Throws if a file exists at
    /// `path`, or if another copy to `path` is in progress.
    static func create(for path: String) throws(SQLiteError) -> String {
        guard access(path, F_OK) != 0 else {
            throw SQLiteError(code: SQLITE_CANTOPEN, "\(path) exists already")
        }
        let partPath = "\(path).part"
        let descriptor = open(partPath, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw SQLiteError(
                code: SQLITE_CANTOPEN, "\(partPath): \(String(cString: strerror(errno)))")
        }
        close(descriptor)
        return partPath
    }

    /// What is added to the path of a database for the paths of its files: the database itself, and those that SQLite makes
    /// beside it while it is written.
    static let suffixes = ["", "-wal", "-journal"]

    /// Removes the file at `partPath`, and the files that SQLite made beside it.
    static func remove(_ partPath: String) {
        for suffix in suffixes { unlink(partPath + suffix) }
    }
}
