internal import CSQLite
internal import Glibc

/// What the journal does on its disk beside SQLite.
package protocol JournalDisk {
    /// Brings a directory's entries to the disk.
    func syncDirectory(_ path: String) throws(SQLiteError)
    /// Whether there is a file.
    func isThere(_ path: String) -> Bool
    /// Brings a file to the disk.
    func sync(_ path: String) throws(SQLiteError)
    /// Removes a file, if it is there.
    func remove(_ path: String) throws(SQLiteError)
    /// Gives a file another name, as one step.
    func rename(_ from: String, to path: String) throws(SQLiteError)
    /// Makes sure that what is read of a file stands on the disk, even if a sync of it has failed
    /// before.
    func forget(_ path: String) throws(SQLiteError)
}

/// The disk that the operating system gives.
struct PlainDisk: JournalDisk {
    /// Wraps `fsync(2)` of a directory.
    func syncDirectory(_ path: String) throws(SQLiteError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SQLiteError(code: SQLITE_CANTOPEN, path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else {
            throw SQLiteError(code: SQLITE_IOERR, "fsync of \(path): errno \(errno)")
        }
    }

    func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

    func sync(_ path: String) throws(SQLiteError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SQLiteError(code: SQLITE_CANTOPEN, path) }
        defer { close(descriptor) }
        try Self.check(fsync(descriptor), "fsync of \(path)")
    }

    func remove(_ path: String) throws(SQLiteError) {
        try Self.check(unlink(path) == 0 || errno == ENOENT ? 0 : -1, "unlink of \(path)")
    }

    func rename(_ from: String, to path: String) throws(SQLiteError) {
        try Self.check(Glibc.rename(from, path), "rename of \(from)")
    }

    private static func check(_ result: Int32, _ what: String) throws(SQLiteError) {
        guard result == 0 else {
            throw SQLiteError(
                code: SQLITE_IOERR, "\(what): \(String(cString: strerror(errno)))")
        }
    }

    /// Wraps `fsync(2)`, and `posix_fadvise(2)`: after a sync that failed Linux takes what it could
    /// not write for written, and goes on to read it from memory, unless it is told to forget it.
    func forget(_ path: String) throws(SQLiteError) {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        if descriptor < 0, errno == ENOENT { return }
        guard descriptor >= 0 else { throw SQLiteError(code: SQLITE_CANTOPEN, path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else {
            throw SQLiteError(code: SQLITE_IOERR, "fsync of \(path): errno \(errno)")
        }
        let result = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
        guard result == 0 else {
            throw SQLiteError(code: SQLITE_IOERR, "fadvise of \(path): errno \(result)")
        }
    }
}
