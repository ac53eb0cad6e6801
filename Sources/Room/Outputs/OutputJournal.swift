package import Sessions

/// The sessions of a shard, whose changes request outputs.
package final class OutputJournal: Watcher {
    /// The number of the shard.
    package let number: Int
    package let sessions: Sessions
    /// Whether this process may act for these sessions at this moment. While the result is false, their outputs are not sent.
    package let maySend: () -> Bool
    /// The notifications that are not processed yet. Usually they are the notifications of this turn of the loop. While
    /// `recovery` is not nil, they are all notifications since the recovery began.
    var pendingNotifications: [Notification] = []
    /// Reads the outputs that an earlier run, or an earlier owner, did not send; nil when all are read.
    package var recovery: OutputRecovery?

    package init(_ sessions: Sessions, number: Int, maySend: @escaping () -> Bool) {
        (self.sessions, self.number, self.maySend) = (sessions, number, maySend)
    }

    /// Watches all changes, and also refusals if one of these lines is about refusals. If there are no lines, stops watching.
    package func watch(_ lines: OnLines) {
        sessions.keepsClosedSessions = lines.reactToLeaving
        guard !lines.isEmpty else {
            try? sessions.unwatch(.all, by: self)
            return
        }
        let wantsRefusals = lines.outputs.contains { $0.trigger == .refused }
        let topics: Topics = wantsRefusals ? [.changes, .refusals] : .changes
        _ = try? sessions.watch(.all, topics, by: self)
    }

    // MARK: Watcher

    package func notify(_ notification: Notification) { pendingNotifications.append(notification) }

    /// Never called: only a watch of a single session ends with the session.
    package func ended(_ session: SessionName) {}
}
