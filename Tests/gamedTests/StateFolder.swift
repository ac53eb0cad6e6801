import Glibc
import Journal

/// A state directory of a test's own, and what can happen to it while no daemon runs.
final class StateFolder {
    let path: String

    init() {
        var template = Array("/tmp/gamed-state-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }
    }

    deinit {
        for name in ["journal.db", "journal.db-wal", "journal.mark", "journal.lock", "copy.db"] {
            unlink("\(path)/\(name)")
        }
        rmdir(path)
    }

    var rows: [JournalRow] {
        get throws {
            var rows: [JournalRow] = []
            try JournalFile(path).rows {
                rows.append($0)
                return true
            }
            return rows
        }
    }

    /// Changes rows behind the journal's back; their checksums stay.
    func spoil(_ change: (JournalRow) -> [UInt8]) throws {
        let rows = try rows
        let file = try JournalFile(path)
        try file.removeRows(after: 0)
        try file.append(
            rows.map {
                JournalRow(
                    restored: $0.kind, $0.position, $0.session, $0.seq, $0.atNs, $0.id, change($0),
                    after: $0.previous, checksum: $0.checksum)
            })
    }
}
