package import RPC
package import Sessions

/// The sessions of a shard, whose states `MQTTPublisher` publishes to the MQTT brokers.
package final class PublishedSessions: Watcher {
    /// The number of the shard.
    package let number: Int
    package let sessions: Sessions
    /// Writes the states of these sessions, with the dates of their clock.
    package let encoder: Encoder
    /// Whether this process may act for these sessions at this moment. While the result is false, the sessions are not
    /// published.
    let mayAct: () -> Bool
    /// Called with each session that has changed, and the row of the change.
    var sessionChanged: (SessionName, _ row: Int) -> Void = { _, _ in }

    package init(
        _ sessions: Sessions, _ encoder: Encoder, number: Int, mayAct: @escaping () -> Bool
    ) {
        (self.sessions, self.encoder) = (sessions, encoder)
        (self.number, self.mayAct) = (number, mayAct)
    }

    /// Starts or stops the calls of `sessionChanged`. A second call with the same value has no effect.
    func setWatching(_ isWatching: Bool) {
        // Only the watch of a single session can fail.
        if isWatching {
            _ = try? sessions.watch(.all, by: self)
        } else {
            try? sessions.unwatch(.all, by: self)
        }
    }

    // MARK: Watcher

    package func notify(_ notification: Notification) {
        if let session = notification.session { sessionChanged(session, notification.row) }
    }

    /// Never called: only a watch of a single session ends with the session.
    package func ended(_ session: SessionName) {}
}
