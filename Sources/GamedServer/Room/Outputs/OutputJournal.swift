import Sessions

/// The sessions of one journal, whose changes ask for outputs: all of them, or those of a shard that this node owns.
final class OutputJournal: Watcher {
    /// The number of the shard; 0 if there are none.
    let number: Int
    let sessions: Sessions
    /// Whether this process may act for these sessions at this moment. While it may not, nothing of them is sent.
    let maySend: () -> Bool
    /// Changes that were announced in this turn of the loop, or before what was left was read.
    var announced: [Notification] = []
    /// Reads what an earlier start, or an earlier owner, left; nil when that is done.
    var recovery: OutputRecovery?

    init(_ sessions: Sessions, number: Int = 0, maySend: @escaping () -> Bool = { true }) {
        (self.sessions, self.number, self.maySend) = (sessions, number, maySend)
    }

    /// Watches what these lines need.
    func watch(_ lines: OnLines) {
        guard !lines.isEmpty else {
            try? sessions.unwatch(.all, by: self)
            return
        }
        let wantsRefusals = lines.outputs.contains { $0.trigger == .refused }
        let topics: Topics = wantsRefusals ? [.changes, .refusals] : .changes
        _ = try? sessions.watch(.all, topics, by: self)
    }

    // MARK: Watcher

    func notify(_ notification: Notification) { announced.append(notification) }

    func ended(_ session: SessionName) {}
}
