/// Reads the changes that a watcher missed, one at a time, from `Sessions.ring`, the buffer of the newest changes. The daemon
/// stores no copy of these changes for each watcher, so a slow watcher takes no memory.
public struct Replay {
    public let target: WatchTarget
    /// The watcher, which owns the replay.
    unowned let watcher: any Watcher
    /// The number of the last change that the watcher has received: its `seq` if the target is one session, its `pos` if the
    /// target is all sessions. If the watch began with a cursor, this is the cursor's `pos` until the first change is read.
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
    /// Returns the next part of a replay; nil at the end of the replay.
    public func nextPart(of replay: inout Replay) -> Replay.Part? {
        while replay.next <= replay.last {
            // The missed changes may have been undone after a failure of the store, so that `pos` went back.
            if replay.next > pos { return nil }
            guard let change = ring[replay.next] else {
                defer { replay.next = replay.last + 1 }
                return presentState(for: replay).map { .gap($0) }
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
        // A change does not know the position of its row. The newest row is never before that row, so the notification waits
        // for the newest row.
        Notification(.change(change), row: change.pos > durablePos ? newestRow : 0)
    }

    /// Returns the present state for a watcher whose missed changes have left the ring. Nil if the watched session
    /// is closed; a separate notification reports the closing.
    private func presentState(for replay: Replay) -> Notification? {
        switch replay.target {
        case .all:
            let (page, more) = list(
                limit: limits.watchPage, where: replay.watcher.mayObserve)
            return gap(since: replay.since, page, more: more)
        case .session(let name):
            return openSession(name).map { gap(since: replay.since, $0) }
        }
    }
}
