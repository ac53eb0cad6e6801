internal import GameFlow
internal import Timers

/// The newest change of a session, as far as it is kept.
enum NewestChange {
    /// The session is not open yet.
    case none
    /// The change is in the ring of the newest changes, or the session was restored with it.
    case recent(Change)
    /// The change has left the ring.
    case settled(LastChange)
}

extension Session {
    /// The number of the session's changes; the opening is the first.
    public var seq: Int {
        switch newest {
        case .none: 0
        case .recent(let change): change.seq
        case .settled(let change): change.seq
        }
    }

    /// The `pos` of the newest change; 0 before the opening.
    public var lastPos: Int {
        switch newest {
        case .none: 0
        case .recent(let change): change.pos
        case .settled(let change): change.pos
        }
    }

    /// The `pos` of the change that entered the present state; 0 before the opening.
    public var entry: Int {
        switch newest {
        case .none: 0
        case .recent(let change): change.entry
        case .settled(let change): change.entry
        }
    }

    /// A summary of the newest change; nil before the opening.
    public var lastSummary: LastChange? {
        switch newest {
        case .none: nil
        case .recent(let change): LastChange(change)
        case .settled(let change): change
        }
    }

    /// The newest change; nil before the opening. If it has left the ring of the newest changes, it is made again, without the
    /// state before it, its effects and its details.
    package var last: Change? {
        switch newest {
        case .none: nil
        case .recent(let change): change
        case .settled(let change):
            Change(
                name, seq: change.seq, pos: change.pos, entry: change.entry, previous: 0,
                at: change.at,
                Step(
                    change.kind, change.event, from: change.source, nil,
                    machine.place),
                view: flow.clientView)
        }
    }

    /// The newest change, which has left the ring, is no longer needed as a whole.
    func settle() {
        guard case .recent(let change) = newest else { return }
        newest = .settled(LastChange(change))
        machine.forgetPlace()
    }
}
