internal import Sessions
internal import Timers

/// The erasure of all sessions of a name. It has the positions of the rows that a store must remove, and the row with which the
/// store records the erasure in the journal.
public struct Erasure: Equatable, Sendable {
    /// The positions of the erased rows, in increasing order.
    public let positions: [Int]
    /// How many sessions of the name were opened.
    public let openings: Int
    /// The greatest `pos` in the rows.
    private let pos: Int
    /// The time of the sessions' newest row that is not a refusal, in nanoseconds of the daemon's clock.
    private let atNs: Int64
    /// The format in which the erasure is recorded: that of the newest row, which every node of the store can read.
    private let format: RowFormat

    /// The erasure of all sessions of a name. `rows` are all rows of these sessions, in increasing order. Throws unless
    /// the newest session is closed and its newest row that is not a refusal can be read.
    package init(of rows: [JournalRow]) throws(ErasureError) {
        guard let newestRow = rows.last(where: { $0.kind != .refusal }) else { throw .unknown }
        if let flaw = newestRow.flaw { throw .damaged("row \(newestRow.position): \(flaw)") }
        let record: SessionRecord
        do throws(UnreadableRowError) { record = try newestRow.record() } catch {
            throw .damaged("row \(newestRow.position): \(error.why)")
        }
        guard record.status?.machine == nil else { throw .open }
        format = newestRow.format
        // Only the first row of a session has no preceding row, so its `previous` is `.start`.
        (positions, openings) = (rows.map(\.position), rows.count { $0.previous == .start })
        (pos, atNs) = (rows.compactMap { try? $0.record().pos }.max() ?? 0, newestRow.atNs)
    }

    /// The row that records the erasure, at the position of the last erased row.
    package var row: JournalRow {
        let record = SessionRecord(
            .forgotten(SessionRecord.Forgotten(positions, openings: openings)), session: nil,
            seq: 0, at: Instant(nanoseconds: atNs), pos: pos)
        return JournalRow(record, at: positions.last ?? 0, after: .start, in: format)
    }
}

extension Erasure {
    /// When a store erases all sessions of a name, it must also replace some of the daemon's own rows. Returns the new rows.
    /// Each new row has the position of the row that it replaces. `rows` are all of the daemon's rows, in increasing order.
    /// `session` is the erased name.
    ///
    /// A session can request an output without a change, for example because it became stuck. The daemon's row that records
    /// such an output names the session, so the record of the output is removed from the row. A row after a changed row keeps
    /// its content, but its link to the preceding row changes.
    ///
    /// A later start of the daemon does not need the removed records, because the outputs of a closed session were delivered or
    /// given up.
    package static func daemonRows(_ rows: [JournalRow], without session: String) -> [JournalRow] {
        // The new checksums of the replaced rows, by the rows' positions.
        var newPositions: [Int: JournalPosition] = [:]
        var replacements: [JournalRow] = []
        // A damaged row stays as it is, and so does the link of the row after it.
        for row in rows where row.kind == .daemon && row.flaw == nil {
            let body = row.bodyOfDeliveries(without: session)
            let newPosition = newPositions[row.previous.position]
            guard body != nil || newPosition != nil else { continue }
            let newRow = JournalRow(
                row.kind, position: row.position, session: row.session, seq: row.seq,
                atNs: row.atNs, id: row.id, body: body ?? row.body,
                after: newPosition ?? row.previous)
            newPositions[row.position] = newRow.journalPosition
            replacements.append(newRow)
        }
        return replacements
    }
}

extension JournalRow {
    /// The row's body without the delivery records and the alerts of a session. Nil if the row has neither of this session.
    fileprivate func bodyOfDeliveries(without session: String) -> [UInt8]? {
        guard let record = try? record(), case .deliveries(let deliveries) = record.body else {
            return nil
        }
        let remaining = deliveries.filter { $0.session?.text != session }.map { delivery in
            delivery.alert?.session.text == session
                ? DeliveryRecord(delivery.key, number: delivery.number, delivery.outcome) : delivery
        }
        guard remaining != deliveries else { return nil }
        return Self.body(
            of: SessionRecord(
                .deliveries(remaining), session: nil, seq: record.seq, at: record.at,
                pos: record.pos), in: format)
    }

    /// The format of the row's body. A body of the first format is replaced by a body of the newest.
    fileprivate var format: RowFormat { body.first.flatMap { RowFormat(rawValue: $0) } ?? .newest }

    /// The positions of the erased rows, if this row records an erasure. Empty if the row records no erasure, or if the row is
    /// damaged.
    package var erasedPositions: [Int] {
        guard kind == .forgotten, flaw == nil, case .forgotten(let forgotten) = try? record().body
        else { return [] }
        return forgotten.positions
    }
}

/// Why a session cannot be erased.
public enum ErasureError: Error, Equatable {
    /// No session of the name was recorded.
    case unknown
    /// The session is open: a daemon would continue it.
    case open
    /// The newest row of the sessions that is not a refusal cannot be read. The text names the row and the damage.
    case damaged(String)
    /// The store failed.
    case storage(StoreError)
}
