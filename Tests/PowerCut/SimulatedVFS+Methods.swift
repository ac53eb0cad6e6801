internal import CSQLite
internal import Glibc

extension SimulatedVFS {
    private static func of(_ table: UnsafeMutablePointer<sqlite3_vfs>?) -> SimulatedVFS {
        Unmanaged.fromOpaque(table!.pointee.pAppData).takeUnretainedValue()
    }

    /// A VFS for SQLite with all methods. The caller sets its name and `pAppData`. The time is constant. SQLite calls
    /// `xRandomness` only to seed its generator of random numbers; the bytes are zeros, so a run can be repeated.
    /// `Explorer.seedRandomness` sets another seed.
    static var methods: sqlite3_vfs {
        var vfs = sqlite3_vfs()
        vfs.iVersion = 1
        vfs.szOsFile = Int32(MemoryLayout<OpenFile>.stride)
        vfs.mxPathname = 512
        vfs.xOpen = { table, name, file, flags, outFlags in
            SimulatedVFS.of(table).open(name, file!, flags, outFlags)
        }
        vfs.xDelete = { table, name, syncsDirectory in
            SimulatedVFS.of(table).remove(String(cString: name!), syncsDirectory != 0)
        }
        vfs.xAccess = { table, name, _, result in
            // As in SQLite's own VFS, an empty file counts as missing.
            let disk = SimulatedVFS.of(table).disk.cached
            result!.pointee = disk[String(cString: name!)]?.isEmpty == false ? 1 : 0
            return SQLITE_OK
        }
        vfs.xFullPathname = { _, name, count, path in
            guard let name, let path, strlen(name) < Int(count) else {
                return SQLITE_CANTOPEN
            }
            strcpy(path, name)
            return SQLITE_OK
        }
        vfs.xRandomness = { _, count, bytes in
            memset(bytes!, 0, Int(count))
            return count
        }
        vfs.xSleep = { _, _ in 0 }
        vfs.xCurrentTime = { _, days in
            days!.pointee = 2_460_000
            return SQLITE_OK
        }
        vfs.xGetLastError = { _, _, _ in 0 }
        return vfs
    }

    private func open(
        _ name: sqlite3_filename?, _ pointer: UnsafeMutablePointer<sqlite3_file>, _ flags: Int32,
        _ outFlags: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        pointer.pointee.pMethods = nil
        let isCreate = flags & SQLITE_OPEN_CREATE != 0
        guard let file = open(name.map { String(cString: $0) }, isCreate: isCreate) else {
            return SQLITE_CANTOPEN
        }
        // The files whose first sync also syncs the directory: always the rollback journal, and on some devices the
        // write-ahead log.
        let logs = SQLITE_OPEN_MAIN_JOURNAL | (device.syncsDirectoryWithLog ? SQLITE_OPEN_WAL : 0)
        let syncsDirectory = isCreate && flags & logs != 0
        OpenFile(self, file, FileRole(flags), syncsDirectory: syncsDirectory).store(in: pointer)
        outFlags?.pointee = flags
        return SQLITE_OK
    }

    private func remove(_ name: String, _ syncsDirectory: Bool) -> Int32 {
        guard disk.cached.names[name] != nil else { return ExtendedError.deleteNoEntry }
        let result = perform(.remove(name: name))
        return result == SQLITE_OK && syncsDirectory ? perform(.syncDirectory) : result
    }
}
