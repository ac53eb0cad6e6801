internal import Journal
internal import SQLiteStore

/// A disk that skips the operations that an injected fault names.
struct FaultyDisk: JournalDisk {
    private let disk: any JournalDisk
    private let fault: InjectedFault

    init(_ disk: any JournalDisk, _ fault: InjectedFault) {
        (self.disk, self.fault) = (disk, fault)
    }

    func syncDirectory(_ path: String) throws(SQLiteError) {
        if fault != .directoryNotSynced { try disk.syncDirectory(path) }
    }

    func dropCachedPages(of path: String) throws(SQLiteError) {
        if fault != .logTrusted { try disk.dropCachedPages(of: path) }
    }

    func exists(_ path: String) -> Bool { disk.exists(path) }
    func freeBytes(in directory: String) -> UInt64? { disk.freeBytes(in: directory) }
    func sync(_ path: String) throws(SQLiteError) { try disk.sync(path) }
    func remove(_ path: String) throws(SQLiteError) { try disk.remove(path) }
    func rename(_ from: String, to path: String) throws(SQLiteError) {
        try disk.rename(from, to: path)
    }
}
