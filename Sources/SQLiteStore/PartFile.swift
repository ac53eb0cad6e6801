internal import CSQLite
internal import Glibc

/// The file of a copy in progress: the copy to PATH is at `PATH.part` until it is complete.
enum PartFile {
    /// Creates the empty file `PATH.part`, which only its owner may read, and returns its path. Throws if a file exists at
    /// `path`, or if another copy to `path` is in progress.
    static func create(for path: String) throws(SQLiteError) -> String {
        guard access(path, F_OK) != 0 else {
            throw SQLiteError(code: SQLITE_CANTOPEN, "\(path) exists already")
        }
        let part = "\(path).part"
        let descriptor = open(part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw SQLiteError(
                code: SQLITE_CANTOPEN, "\(part): \(String(cString: strerror(errno)))")
        }
        close(descriptor)
        return part
    }

    /// Removes the file at `part`, and the files that SQLite made beside it.
    static func remove(_ part: String) {
        for suffix in ["", "-wal", "-journal"] { unlink(part + suffix) }
    }
}
