/// What a watcher missed, handed out one change at a time from the ring: however many watch from long
/// ago, and however slowly they read, nothing is kept for them.
public struct Replay {
    public let target: WatchTarget
    /// Who missed it, and holds this.
    unowned let watcher: any Watcher
    /// The number that was seen last: a `seq` of a session's, a `pos` of all.
    var since: Int
    /// The position to look at next, and the last one that was missed.
    var next: Int
    let last: Int

    /// What comes next in a replay.
    public enum Piece {
        case change(Change)
        /// The ring has gone past what was still missing: the present instead.
        case gap(Notification)
    }
}

extension Sessions {
    /// The next change of a replay; nil when it is over.
    public func piece(of replay: inout Replay) -> Replay.Piece? {
        while replay.next <= replay.last {
            // What was missed may have been taken back.
            if replay.next > pos { return nil }
            guard let change = ring[replay.next] else {
                defer { replay.next = replay.last + 1 }
                return present(replay).map { .gap($0) }
            }
            replay.next += 1
            switch replay.target {
            case .all:
                replay.since = change.pos
                guard replay.watcher.mayObserve(change.session) else { continue }
            case .session(let name):
                guard change.session == name else { continue }
                replay.since = change.seq
            }
            return .change(change)
        }
        return nil
    }

    /// A change as it is told: it goes out once it is on the disk.
    public func notice(of change: Change) -> Notification {
        Notification(.change(change), row: change.pos > keptPos ? newestRow : 0)
    }

    /// The present, for a watcher whose replay was overtaken; nil when its session is over, which it is
    /// told otherwise.
    private func present(_ replay: Replay) -> Notification? {
        switch replay.target {
        case .all:
            let (page, more) = list(
                limit: limits.watchPage, where: replay.watcher.mayObserve)
            return gap(since: replay.since, page, more)
        case .session(let name):
            return index[name].map { gap(since: replay.since, $0) }
        }
    }
}
