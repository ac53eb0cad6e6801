internal import CSQLite
internal import Glibc

/// SQLite's way to a disk in memory, which counts what is done to it. Its name leads there for as
/// long as it lives; all that uses it is on one thread.
package final class SimulatedVFS {
    package let name: String
    package var disk = SimulatedDisk()
    package var device: Device
    /// How many operations there were.
    package private(set) var operations = 0
    /// Is shown the disk before each of them.
    package var watch: ((SimulatedDisk, DiskOperation) -> Void)?
    package var fault: Fault?
    /// The files whose syncs SQLite asks for in vain.
    package var unsynced: FileRole?
    /// Hears of everything that happens, for people.
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

    /// Puts in a disk, and forgets what was counted.
    package func insert(_ disk: SimulatedDisk, _ device: Device) {
        (self.disk, self.device) = (disk, device)
        operations = 0
        fault = nil
    }

    /// Does an operation, or lets it fail; what SQLite is told of it.
    @discardableResult package func perform(_ operation: DiskOperation) -> Int32 {
        watch?(disk, operation)
        operations += 1
        guard fault?.strikes(operations - 1) != true else {
            trace?("\(operations - 1) fails: \(operation)")
            return fault!.strike(operation, &disk)
        }
        trace?("\(operations - 1): \(operation)")
        disk.apply(operation)
        return SQLITE_OK
    }

    /// The file that goes by a name, made if it may be.
    func open(_ name: String?, isCreate: Bool) -> Int? {
        // What has no name is of no use after a power cut, so it need not be damaged.
        guard let name else { return disk.addFile() }
        if let file = disk.now.names[name] { return file }
        guard isCreate else { return nil }
        let file = disk.addFile()
        return perform(.create(name: name, file: file)) == SQLITE_OK ? file : nil
    }
}
