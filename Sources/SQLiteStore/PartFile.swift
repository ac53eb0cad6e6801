internal import CSQLite
internal import Glibc

/// The file of a copy in progress: the copy to PATH is at `PATH.part` until it is complete.
enum PartFile {
    /// Creates an empty file for a copy to `path`, at which no file may exist; returns its path. Only the owner may read
    /// it. Another copy to the same path fails.
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

    /// Removes the file and the files that SQLite made beside it.
    static func remove(_ part: String) {
        for end in ["", "-wal", "-journal"] { unlink(part + end) }
    }
}
