/// The changes that a watcher missed, read one at a time from the ring. The daemon stores no copy of these changes
/// for each watcher, so that slow watchers take no memory.
public struct Replay {
    public let target: WatchTarget
    /// The watcher, which owns the replay.
    unowned let watcher: any Watcher
    /// The last number that the watcher has received: a `seq` for one session, a `pos` for all sessions.
    var since: Int
    /// The `pos` of the next change to read.
    var next: Int
    /// The `pos` of the last change that the watcher missed.
    let last: Int

    /// The next part of a replay.
    public enum Part {
        case change(Change)
        /// The missing changes are no longer in the ring; the present state is sent instead.
        case gap(Notification)
    }
}

extension Sessions {
    /// Returns the next part of a replay; nil at its end.
    public func nextPart(of replay: inout Replay) -> Replay.Part? {
        while replay.next <= replay.last {
            // The missed changes may have been undone.
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

    /// Returns the notification of a change; it is sent after the change is durable.
    public func notification(of change: Change) -> Notification {
        Notification(.change(change), row: change.pos > durablePos ? newestRow : 0)
    }

    /// Returns the present state for a watcher whose missed changes have left the ring. Nil if the watched session
    /// is closed; a separate notification reports the closing.
    private func present(_ replay: Replay) -> Notification? {
        switch replay.target {
        case .all:
            let (page, more) = list(
                limit: limits.watchPage, where: replay.watcher.mayObserve)
            return gap(since: replay.since, page, more: more)
        case .session(let name):
            return index[name].map { gap(since: replay.since, $0) }
        }
    }
}
