internal import Sessions
internal import Timers

/// What is erased with a session.
public struct Erasure: Equatable, Sendable {
    /// The positions of its rows, in increasing order.
    public let positions: [Int]
    /// How many times it was opened.
    public let openings: Int
    private let pos: Int
    private let atNs: Int64

    package init(positions: [Int], openings: Int, pos: Int, atNs: Int64) {
        (self.positions, self.openings, self.pos, self.atNs) = (positions, openings, pos, atNs)
    }

    /// The row that records the erasure, at the position of the last erased row.
    package var row: JournalRow {
        let record = SessionRecord(
            .forgotten(SessionRecord.Forgotten(positions, openings: openings)), session: nil,
            seq: 0, at: Instant(nanoseconds: atNs), pos: pos)
        return JournalRow(record, at: positions.last ?? 0, after: .start)
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
