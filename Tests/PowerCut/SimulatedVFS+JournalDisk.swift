internal import Journal
package import SQLiteStore

/// The operations on files that the SQLite store itself makes, in addition to the operations of SQLite. The power can be cut
/// before each of them.
extension SimulatedVFS: JournalDisk {
    package func syncDirectory(_ path: String) throws(SQLiteError) {
        try check(perform(.syncDirectory), "sync of \(path)")
    }

    package func dropCachedPages(of path: String) throws(SQLiteError) {
        guard let file = disk.cached.names[path] else { return }
        try check(perform(.sync(file: file)), "sync of \(path)")
        disk.dropCachedPages(of: file)
    }

    package func exists(_ path: String) -> Bool { disk.cached.names[path] != nil }

    package func sync(_ path: String) throws(SQLiteError) {
        guard let file = disk.cached.names[path] else { return }
        try check(perform(.sync(file: file)), "sync of \(path)")
    }

    package func remove(_ path: String) throws(SQLiteError) {
        guard exists(path) else { return }
        try check(perform(.remove(name: path)), "remove of \(path)")
    }

    package func rename(_ from: String, to path: String) throws(SQLiteError) {
        // 14 is SQLITE_CANTOPEN.
        guard let file = disk.cached.names[from] else { throw SQLiteError(code: 14, from) }
        try check(perform(.rename(from: from, to: path, file: file)), "rename of \(from)")
    }

    package func freeBytes(in directory: String) -> UInt64? { nil }

    private func check(_ result: Int32, _ operation: String) throws(SQLiteError) {
        guard result == 0 else { throw SQLiteError(code: result, operation) }
    }
}
