import GameFlow
import Glibc
import Journal
import SQLiteStore
import Sessions
import TestSupport
import Timers

/// A state directory of a test's own, and what can happen to it while no daemon runs.
final class StateFolder {
    private let folder = Folder()
    var path: String { folder.path }

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

    /// Has all rows been written so much earlier.
    func makeOlder(by time: Duration) throws { try rewriteTimes { $0.atNs - time.nanoseconds } }

    /// Has each row been written at another instant; the checksums are right.
    func rewriteTimes(_ instant: (JournalRow) -> Int64) throws {
        try rewrite { row, previous in
            JournalRow(
                row.kind, position: row.position, session: row.session, seq: row.seq,
                atNs: instant(row), id: row.id, body: row.body, after: previous)
        }
    }

    /// Replaces the texts of flows; the checksums are right.
    func rewriteFlowTexts(_ change: ([UInt8]) -> [UInt8]) throws {
        try rewrite { row, previous in
            guard case .flowText(let name, let source) = try? row.record().body else {
                return JournalRow(
                    row.kind, position: row.position, session: row.session, seq: row.seq,
                    atNs: row.atNs, id: row.id, body: row.body, after: previous)
            }
            let changed = FlowSource(version: source.version, text: change(source.text))
            let record = SessionRecord(
                .flowText(name: name, changed), session: nil, seq: row.seq,
                at: Instant(nanoseconds: row.atNs), pos: 1)
            return JournalRow(record, at: row.position, after: previous)
        }
    }

    /// Replaces each row; `make` gets it, and the mark of its session's previous new one.
    private func rewrite(_ make: (JournalRow, JournalPosition) -> JournalRow) throws {
        let rows = try rows
        let file = try JournalFile(path)
        try file.removeRows(after: 0)
        var last: [String: JournalPosition] = [:]
        try file.append(
            rows.map { row in
                let new = make(row, last[row.session] ?? .start)
                last[row.session] = new.mark
                return new
            })
        unlink("\(path)/\(HighWaterMarkFile.name)")
    }

    /// Changes rows behind the journal's back; their checksums stay.
    func corruptRows(_ change: (JournalRow) -> [UInt8]) throws {
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
