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
    func syncDirectory(_ path: String) throws(SQLiteError) {
        try Self.sync(path, O_RDONLY | O_DIRECTORY)
    }

    func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

    func sync(_ path: String) throws(SQLiteError) { try Self.sync(path, O_RDONLY) }

    func remove(_ path: String) throws(SQLiteError) {
        try Self.check(unlink(path) == 0 || errno == ENOENT ? 0 : errno, "unlink of \(path)")
    }

    func rename(_ from: String, to path: String) throws(SQLiteError) {
        try Self.check(Glibc.rename(from, path) == 0 ? 0 : errno, "rename of \(from)")
    }

    /// Wraps `posix_fadvise(2)` behind a sync: after one that failed Linux takes what it could not write for
    /// written, and goes on to read it from memory, unless it is told to forget it.
    func forget(_ path: String) throws(SQLiteError) {
        guard isThere(path) else { return }
        try Self.sync(path, O_RDWR) { descriptor throws(SQLiteError) in
            try Self.check(
                posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED), "fadvise of \(path)")
        }
    }

    /// Brings a file or a directory to the disk, and does something more with it. Wraps `fsync(2)`.
    private static func sync(
        _ path: String, _ flags: Int32, _ more: (Int32) throws(SQLiteError) -> Void = { _ in }
    ) throws(SQLiteError) {
        let descriptor = open(path, flags | O_CLOEXEC)
        guard descriptor >= 0 else { throw SQLiteError(code: SQLITE_CANTOPEN, path) }
        defer { close(descriptor) }
        try check(fsync(descriptor) == 0 ? 0 : errno, "fsync of \(path)")
        try more(descriptor)
    }

    /// `error` is one of errno's, or 0.
    private static func check(_ error: Int32, _ what: String) throws(SQLiteError) {
        guard error == 0 else {
            throw SQLiteError(
                code: SQLITE_IOERR, "\(what): \(String(cString: strerror(error)))")
        }
    }
}
