internal import Sessions
internal import Timers

/// The rows that are erased with a session.
public struct Erasure: Equatable, Sendable {
    /// The positions of its rows, in increasing order.
    public let positions: [Int]
    /// How many times it was opened.
    public let openings: Int
    private let pos: Int
    private let atNs: Int64

    /// The rows that erasing all sessions of a name removes. `rows` are theirs, in increasing order. Throws if one session is open.
    package init(of rows: [JournalRow]) throws(ErasureError) {
        guard let last = rows.last(where: { $0.kind != .refusal }) else { throw .unknown }
        if let flaw = last.flaw { throw .damaged("row \(last.position): \(flaw)") }
        let record: SessionRecord
        do throws(UnreadableRowError) { record = try last.record() } catch {
            throw .damaged("row \(last.position): \(error.why)")
        }
        guard record.status?.machine == nil else { throw .open }
        (positions, openings) = (rows.map(\.position), rows.count { $0.previous == .start })
        (pos, atNs) = (rows.compactMap { try? $0.record().pos }.max() ?? 0, last.atNs)
    }

    /// The row that records the erasure, at the position of the last erased row.
    package var row: JournalRow {
        let record = SessionRecord(
            .forgotten(SessionRecord.Forgotten(positions, openings: openings)), session: nil,
            seq: 0, at: Instant(nanoseconds: atNs), pos: pos)
        return JournalRow(record, at: positions.last ?? 0, after: .start)
    }
}

extension Erasure {
    /// The rows of the daemon itself that change with the erasure of all sessions of a name. `rows` are all of them, in increasing
    /// order. They name a session in the records of outputs that it asked for without a change, as a stuck one does; these
    /// records are left out. The later rows have the same content, and are linked to the changed ones.
    ///
    /// The outputs of a closed session are delivered or given up, so no start needs these records.
    package static func daemonRows(_ rows: [JournalRow], without session: String) -> [JournalRow] {
        var marks: [Int: JournalPosition] = [:]
        var changed: [JournalRow] = []
        // A damaged row stays as it is, and so does the link of the row after it.
        for row in rows where row.kind == .daemon && row.flaw == nil {
            let body = row.bodyOfDeliveries(without: session)
            let mark = marks[row.previous.position]
            guard body != nil || mark != nil else { continue }
            let fresh = JournalRow(
                row.kind, position: row.position, session: row.session, seq: row.seq,
                atNs: row.atNs, id: row.id, body: body ?? row.body, after: mark ?? row.previous)
            marks[row.position] = fresh.mark
            changed.append(fresh)
        }
        return changed
    }
}

extension JournalRow {
    /// The body without the records of a session's deliveries; nil if it has none.
    fileprivate func bodyOfDeliveries(without session: String) -> [UInt8]? {
        guard let record = try? record(), case .deliveries(let deliveries) = record.body else {
            return nil
        }
        let left = deliveries.filter { $0.session?.text != session }
        guard left.count < deliveries.count else { return nil }
        return Self.body(
            of: SessionRecord(
                .deliveries(left), session: nil, seq: record.seq, at: record.at, pos: record.pos))
    }

    /// The positions of the erased rows that this row records; empty for another row, and for a damaged one.
    package var erased: [Int] {
        guard kind == .forgotten, flaw == nil, case .forgotten(let forgotten) = try? record().body
        else { return [] }
        return forgotten.positions
    }
}

/// Why a session cannot be erased.
public enum ErasureError: Error, Equatable {
    case unknown
    /// The session is open: a daemon would continue it.
    case open
    /// Its newest row cannot be read.
    case damaged(String)
    case storage(StoreError)
}
