internal import CSQLite
internal import Glibc

/// A virtual file system (VFS) of SQLite for a disk in memory. The VFS counts the operations on the disk. It is registered
/// under its name until it is deallocated. It must be used on one thread.
package final class SimulatedVFS {
    package let name: String
    package var disk = SimulatedDisk()
    /// The properties of the disk and of its file system.
    package var device: Device
    /// The number of operations since a disk was inserted.
    package private(set) var operations = 0
    /// Called before each operation.
    package var willPerform: ((SimulatedDisk, DiskOperation) -> Void)?
    /// The disk error that one operation gets, or all operations from one on; nil if no operation fails.
    package var fault: Fault?
    /// The role of files whose syncs by SQLite are skipped.
    package var roleWithoutSync: FileRole?
    /// Called with a line for every operation, for debugging.
    package var trace: ((String) -> Void)?

    private let table = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    private let cName: UnsafeMutablePointer<CChar>

    package init(_ device: Device) {
        self.device = device
        name = "simulated-\(UInt(bitPattern: table))"
        cName = strdup(name)!
        table.initialize(to: Self.methods)
        table.pointee.zName = UnsafePointer(cName)
        table.pointee.pAppData = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_vfs_register(table, 0)
    }

    deinit {
        sqlite3_vfs_unregister(table)
        table.deallocate()
        free(cName)
    }

    /// Replaces the disk, and resets the count and the fault.
    package func insert(_ disk: SimulatedDisk, _ device: Device) {
        (self.disk, self.device) = (disk, device)
        operations = 0
        fault = nil
    }

    /// Performs an operation, or lets it fail. Returns the result code for SQLite.
    @discardableResult package func perform(_ operation: DiskOperation) -> Int32 {
        willPerform?(disk, operation)
        operations += 1
        guard fault?.applies(to: operations - 1) != true else {
            trace?("\(operations - 1) fails: \(operation)")
            return fault!.fail(operation, &disk)
        }
        trace?("\(operations - 1): \(operation)")
        disk.apply(operation)
        return SQLITE_OK
    }

    /// The number of the file with this name. A missing file is created if `isCreate` is true. Returns nil if a missing file is
    /// not created. If `name` is nil, adds a temporary file.
    func open(_ name: String?, isCreate: Bool) -> Int? {
        // A file without a name does not survive a power cut, so its creation is not an operation.
        guard let name else { return disk.addFile() }
        if let file = disk.cached.names[name] { return file }
        guard isCreate else { return nil }
        let file = disk.addFile()
        return perform(.create(name: name, file: file)) == SQLITE_OK ? file : nil
    }
}
