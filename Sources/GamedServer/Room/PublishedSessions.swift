import Sessions

/// The sessions of one journal whose states are published: all of them, or those of a shard that this node owns.
final class PublishedSessions: Watcher {
    /// The number of the shard; 0 without shards.
    let number: Int
    let sessions: Sessions
    /// Whether this process may act for these sessions at this moment. While it may not, nothing of them is published.
    let mayAct: () -> Bool
    /// Called with each session that has changed, and the row of the change.
    var changed: (SessionName, _ row: Int) -> Void = { _, _ in }

    init(_ sessions: Sessions, number: Int = 0, mayAct: @escaping () -> Bool = { true }) {
        (self.sessions, self.number, self.mayAct) = (sessions, number, mayAct)
    }

    /// Calls `changed` from now on, or no longer.
    func watch(_ isWanted: Bool) {
        if isWanted {
            _ = try? sessions.watch(.all, by: self)
        } else {
            try? sessions.unwatch(.all, by: self)
        }
    }

    // MARK: Watcher

    func notify(_ notification: Notification) {
        if let session = notification.session { changed(session, notification.row) }
    }

    func ended(_ session: SessionName) {}
}
