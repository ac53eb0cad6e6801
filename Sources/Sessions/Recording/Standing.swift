internal import GameFlow
internal import Timers

/// A session as it was written down: what an undo returns to.
struct Standing {
    var mark = RowMark.start
    /// The newest change; nil before the first.
    var change: Change?
    /// The machine after it; nil once the session is closed.
    var snapshot: MachineSnapshot?
    /// Where the row stands that says so, and the session's first.
    var state = 0
    var began = 0
    /// How many requests with an id were taken.
    var ids = 0
}

/// A row of which it is not known yet whether it is on the disk.
struct Uncommitted {
    /// Nil where it is the daemon's own.
    let session: Session?
    let standing: Standing
    /// When it was written.
    let at: Instant
    /// Whether it is a change, with a position of its own.
    let isChange: Bool
    /// The id that it made remembered.
    let id: String?
    /// The answers that were forgotten with it: those of a session that was closed.
    var forgotten: [Receipts.Forgotten] = []
    /// Who watched a session that was closed.
    var watchers = WatcherList()
    /// Whether it is the daemon's beginning.
    var isStart = false
    /// The session that was given up, and what was wrong with it.
    var givenUp: (name: SessionName, why: String)?
}
