internal import CSQLite
internal import Glibc

/// The state of a file that SQLite has opened, in memory that SQLite allocates. Its first field must be a `sqlite3_file`,
/// because SQLite uses a pointer to this struct as a pointer to `sqlite3_file`.
struct OpenFile {
    private var base = sqlite3_file()
    private let owner: Unmanaged<SimulatedVFS>
    /// The file's number in the `DiskImage`.
    private let number: Int
    private let role: FileRole
    /// Whether the next sync also syncs the directory.
    private var syncsDirectory: Bool

    init(_ owner: SimulatedVFS, _ number: Int, _ role: FileRole, syncsDirectory: Bool) {
        (self.owner, self.number, self.role) = (.passUnretained(owner), number, role)
        self.syncsDirectory = syncsDirectory
        base.pMethods = UnsafePointer(Self.methods)
    }

    func store(in pointer: UnsafeMutablePointer<sqlite3_file>) {
        UnsafeMutableRawPointer(pointer).initializeMemory(as: OpenFile.self, to: self)
    }

    private static func of(
        _ pointer: UnsafeMutablePointer<sqlite3_file>?
    ) -> UnsafeMutablePointer<OpenFile> {
        UnsafeMutableRawPointer(pointer!).assumingMemoryBound(to: OpenFile.self)
    }

    private var vfs: SimulatedVFS { owner.takeUnretainedValue() }

    // MARK: operations

    private func read(_ target: UnsafeMutableRawPointer, _ count: Int, _ offset: Int) -> Int32 {
        vfs.disk.cached.files[number].withUnsafeBytes { content in
            let found = max(0, min(count, content.count - offset))
            if found > 0 { memcpy(target, content.baseAddress! + offset, found) }
            guard found < count else { return SQLITE_OK }
            // SQLite requires that the rest of a short read is filled with zeros.
            memset(target + found, 0, count - found)
            return ExtendedError.shortRead
        }
    }

    private func write(_ bytes: UnsafeRawPointer, _ count: Int, _ offset: Int) -> Int32 {
        let bytes = [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
        return vfs.perform(.write(file: number, at: offset, bytes: bytes))
    }

    private mutating func sync() -> Int32 {
        if vfs.roleWithoutSync == role { return SQLITE_OK }
        let result = vfs.perform(.sync(file: number))
        // As in SQLite's own VFS, the result of the sync of the directory is ignored.
        if result == SQLITE_OK, exchange(&syncsDirectory, with: false) {
            vfs.perform(.syncDirectory)
        }
        return result
    }

    // MARK: methods for SQLite

    /// Never freed: SQLite keeps the pointer. The table is constant.
    private nonisolated(unsafe) static let methods = {
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        methods.initialize(to: table())
        return methods
    }()

    /// The functions that SQLite calls for an open file. The functions for locks do nothing, and there is no shared memory,
    /// because there is only one connection.
    private static func table() -> sqlite3_io_methods {
        var table = sqlite3_io_methods()
        table.iVersion = 1
        table.xClose = { _ in SQLITE_OK }
        table.xRead = { OpenFile.of($0).pointee.read($1!, Int($2), Int($3)) }
        table.xWrite = { OpenFile.of($0).pointee.write($1!, Int($2), Int($3)) }
        table.xTruncate = { pointer, size in
            let file = OpenFile.of(pointer).pointee
            return file.vfs.perform(.truncate(file: file.number, to: Int(size)))
        }
        table.xSync = { pointer, _ in OpenFile.of(pointer).pointee.sync() }
        table.xFileSize = { pointer, size in
            let file = OpenFile.of(pointer).pointee
            size!.pointee = Int64(file.vfs.disk.cached.size(file.number))
            return SQLITE_OK
        }
        table.xLock = { _, _ in SQLITE_OK }
        table.xUnlock = { _, _ in SQLITE_OK }
        table.xCheckReservedLock = { _, result in
            result!.pointee = 0
            return SQLITE_OK
        }
        table.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
        table.xSectorSize = { _ in Int32(Damage.sectorSize) }
        table.xDeviceCharacteristics = { pointer in
            OpenFile.of(pointer).pointee.vfs.device.isPowersafeOverwrite
                ? SQLITE_IOCAP_POWERSAFE_OVERWRITE : 0
        }
        return table
    }
}
