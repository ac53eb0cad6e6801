internal import CSQLite
internal import Glibc
import Support

/// The file operations of the journal that SQLite does not perform. Tests replace them to simulate failures and power cuts.
package protocol JournalDisk {
    /// Makes the names of the files in a directory durable, after a file was created, renamed or removed.
    func syncDirectory(_ path: String) throws(SQLiteError)
    /// Whether a file exists.
    func exists(_ path: String) -> Bool
    /// Makes the contents of a file durable.
    func sync(_ path: String) throws(SQLiteError)
    /// Removes a file, if it exists.
    func remove(_ path: String) throws(SQLiteError)
    /// Renames a file atomically.
    func rename(_ from: String, to path: String) throws(SQLiteError)
    /// The free space of the file system that has a directory, in bytes; nil if it is not known.
    func freeBytes(in directory: String) -> UInt64?
    /// Ensures that later reads of a file return what is on the disk, even if an earlier sync of the file has failed.
    func dropCachedPages(of path: String) throws(SQLiteError)
}

/// The operating system's file operations.
package struct PlainDisk: JournalDisk {
    package init() {}

    package func syncDirectory(_ path: String) throws(SQLiteError) {
        try Self.sync(path, O_RDONLY | O_DIRECTORY)
    }

    package func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    package func sync(_ path: String) throws(SQLiteError) { try Self.sync(path, O_RDONLY) }

    package func remove(_ path: String) throws(SQLiteError) {
        try Self.check(unlink(path) == 0 || errno == ENOENT ? 0 : errno, "unlink of \(path)")
    }

    package func rename(_ from: String, to path: String) throws(SQLiteError) {
        try Self.check(Glibc.rename(from, path) == 0 ? 0 : errno, "rename of \(from)")
    }

    package func freeBytes(in directory: String) -> UInt64? {
        DiskSpace(ofFileSystemWith: directory).flatMap { $0.freeBytes < .max ? $0.freeBytes : nil }
    }

    /// Syncs the file, and drops its pages from memory. Wraps `posix_fadvise(2)`. After a failed sync, Linux treats the pages
    /// as written, and continues to read them from memory. Linux reads the pages from the disk again only if a caller has asked
    /// it to drop them.
    package func dropCachedPages(of path: String) throws(SQLiteError) {
        guard exists(path) else { return }
        try Self.sync(path, O_RDWR) { descriptor throws(SQLiteError) in
            try Self.check(
                posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED), "fadvise of \(path)")
        }
    }

    /// Opens a file or a directory with `flags`, syncs it, and then executes `afterSync` with the descriptor. Wraps `fsync(2)`.
    private static func sync(
        _ path: String, _ flags: Int32,
        _ afterSync: (_ descriptor: Int32) throws(SQLiteError) -> Void = { _ in }
    ) throws(SQLiteError) {
        let descriptor = open(path, flags | O_CLOEXEC)
        guard descriptor >= 0 else { throw SQLiteError(code: SQLITE_CANTOPEN, path) }
        defer { close(descriptor) }
        try check(fsync(descriptor) == 0 ? 0 : errno, "fsync of \(path)")
        try afterSync(descriptor)
    }

    /// Throws if `error`, an errno, is not 0. `operation` begins the error's message.
    private static func check(_ error: Int32, _ operation: String) throws(SQLiteError) {
        guard error == 0 else {
            throw SQLiteError(
                code: SQLITE_IOERR, "\(operation): \(String(cString: strerror(error)))")
        }
    }
}
