import GameFlow
import Glibc
import Journal
import SQLiteStore
import Sessions
import TestSupport
import Timers

/// A temporary state directory for a daemon. While no daemon uses the directory, a test can change its journal.
final class StateFolder {
    private let folder = Folder()
    var path: String { folder.path }

    /// All rows of the journal, oldest first.
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

    /// Makes all rows older by a duration. The checksums are calculated again.
    func makeOlder(by duration: Duration) throws {
        try rewriteTimes { $0.atNs - duration.nanoseconds }
    }

    /// Replaces the time of each row. The checksums are calculated again.
    func rewriteTimes(_ newTime: (JournalRow) -> Int64) throws {
        try rewrite { row, previous in
            JournalRow(
                row.kind, position: row.position, session: row.session, seq: row.seq,
                atNs: newTime(row), id: row.id, body: row.body, after: previous)
        }
    }

    /// Replaces the texts of the recorded flow files. The checksums are calculated again.
    func rewriteFlowTexts(_ change: ([UInt8]) -> [UInt8]) throws {
        try rewrite { row, previous in
            guard case .flowText(let name, let source) = try? row.record().body else {
                return JournalRow(
                    row.kind, position: row.position, session: row.session, seq: row.seq,
                    atNs: row.atNs, id: row.id, body: row.body, after: previous)
            }
            let changedSource = FlowSource(version: source.version, text: change(source.text))
            let record = SessionRecord(
                .flowText(name: name, changedSource), session: nil, seq: row.seq,
                at: Instant(nanoseconds: row.atNs), pos: 1)
            return JournalRow(record, at: row.position, after: previous)
        }
    }

    /// Replaces each row by the result of `make`, whose arguments are the row and the position of the previous new row
    /// of the session.
    private func rewrite(_ make: (JournalRow, JournalPosition) -> JournalRow) throws {
        let rows = try rows
        let file = try JournalFile(path)
        try file.removeRows(after: 0)
        // The position of each session's newest row, among the rows that have been made so far.
        var newestPositions: [String: JournalPosition] = [:]
        try file.append(
            rows.map { row in
                let newRow = make(row, newestPositions[row.session] ?? .start)
                newestPositions[row.session] = newRow.journalPosition
                return newRow
            })
        unlink("\(path)/\(HighWaterMarkFile.name)")
    }

    /// Replaces the bodies of rows and keeps their checksums, which become wrong.
    func corruptRows(_ change: (JournalRow) -> [UInt8]) throws {
        let rows = try rows
        let file = try JournalFile(path)
        try file.removeRows(after: 0)
        try file.append(
            rows.map {
                JournalRow(
                    $0.kind, position: $0.position, session: $0.session, seq: $0.seq, atNs: $0.atNs,
                    id: $0.id, body: change($0),
                    after: $0.previous, checksum: $0.checksum)
            })
    }
}
