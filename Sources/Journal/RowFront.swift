public import Timers

/// The front of a session's row: what a list of sessions needs, before the rest of the body. Rows of the third format have it.
public struct RowFront: Equatable, Sendable {
    /// The name of the state after the row; for the row that closes the session, the state before it.
    public let state: String
    /// The number of the session's changes up to and including this row.
    public let seq: Int
    /// When the session entered the state; nil if that is not known.
    public let enteredAt: Instant?
    /// The earliest deadline of the running timers. Nil if no timer runs, and in a row that is not its call's last row of the
    /// session. After a downtime, a timer may fire later than this, but not earlier.
    public let deadline: Instant?
    /// The highest number of the timers in the order in which timers were set; 0 if no timer runs. With it, the session can be
    /// restored when it is needed, but not later than `deadline`. Nil for a session that must be restored at the start: a timer
    /// may fire before `deadline`, because it has marks or fires at a time of day; the row is not its call's last row of the
    /// session; or the row is of an earlier version.
    public let order: UInt64?

    package init(
        state: String, seq: Int, enteredAt: Instant?, deadline: Instant?, order: UInt64?
    ) {
        (self.state, self.seq, self.enteredAt, self.deadline) = (state, seq, enteredAt, deadline)
        self.order = order
    }
}
