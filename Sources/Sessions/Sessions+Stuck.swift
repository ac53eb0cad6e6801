/// Sessions that stay in a state longer than usual. Their caller knows what is usual.
extension Sessions {
    /// Marks a session in its present entry, and notifies those who watch the topic. The mark is neither a change nor recorded.
    public func markStuck(_ session: Session) {
        stuckEntries[session.name] = session.entry
        queueNotification(.stuck, of: session) {
            .stuck(
                StuckSession(
                    session: session.name, entry: session.entry, state: session.line.state, at: now)
            )
        }
        publish()
    }

    /// Removes the mark of a session that has entered a state or was closed.
    public func unmarkStuck(_ session: SessionName) {
        if !stuckEntries.isEmpty { stuckEntries[session] = nil }
    }
}
