import SQLiteStore

/// A disk with little free space. Everything else is as on the real disk.
struct FullDisk: JournalDisk {
    private let disk = PlainDisk()
    private let freeBytes: UInt64

    init(freeBytes: UInt64) { self.freeBytes = freeBytes }

    func freeBytes(in directory: String) -> UInt64? { freeBytes }
    func syncDirectory(_ path: String) throws(SQLiteError) { try disk.syncDirectory(path) }
    func exists(_ path: String) -> Bool { disk.exists(path) }
    func sync(_ path: String) throws(SQLiteError) { try disk.sync(path) }
    func remove(_ path: String) throws(SQLiteError) { try disk.remove(path) }
    func rename(_ from: String, to path: String) throws(SQLiteError) {
        try disk.rename(from, to: path)
    }
    func dropCachedPages(of path: String) throws(SQLiteError) {
        try disk.dropCachedPages(of: path)
    }
}
