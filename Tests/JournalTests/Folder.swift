import Glibc

/// A directory of a test's own, gone with it.
final class Folder {
    let path: String

    init() {
        var template = Array("/tmp/gamed-journal-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }
    }

    deinit {
        for name in [
            "journal.db", "journal.db-wal", "journal.db-shm", "journal.db-journal", "journal.mark",
            "copy.db",
        ] {
            unlink("\(path)/\(name)")
        }
        rmdir(path)
    }
}
