package import Journal

extension SimulatedVFS: JournalDisk {
    package func syncDirectory(_ path: String) throws(SQLiteError) {
        try check(perform(.syncDirectory), "sync of \(path)")
    }

    package func forget(_ path: String) throws(SQLiteError) {
        guard let file = disk.now.names[path] else { return }
        try check(perform(.sync(file: file)), "sync of \(path)")
        disk.forget(file)
    }

    private func check(_ result: Int32, _ what: String) throws(SQLiteError) {
        guard result == 0 else { throw SQLiteError(code: result, what) }
    }
}
