/// Marking sessions that stay in a state longer than usual. `StuckMonitor`, a part of the daemon, finds them and calls these
/// methods.
extension Sessions {
    /// Marks a session as stuck in its present entry, and notifies the watchers of the topic `stuck`. The mark is not
    /// a change and is not recorded.
    public func markStuck(_ session: Session) {
        stuckEntries[session.name] = session.entry
        queueNotification(.stuck, of: session) {
            .stuck(
                StuckSession(
                    session: session.name, entry: session.entry, state: session.listItem.state,
                    at: now)
            )
        }
        publish()
    }

    /// Removes the mark of a session that has entered a state or was closed.
    public func unmarkStuck(_ session: SessionName) {
        if !stuckEntries.isEmpty { stuckEntries[session] = nil }
    }
}
