internal import Timers

/// Sessions that stay in a state longer than usual.
extension Sessions {
    /// Follows from now on how long each session stays in its state. `times` says how long past visits lasted. Call it after
    /// `restore`. A second call forgets what the first has followed.
    @discardableResult package func followStays(_ times: VisitTimes) -> SessionStays {
        if stays != nil { for session in all { session.leaveState() } }
        let stays = SessionStays(self, times)
        self.stays = stays
        return stays
    }

    /// Whether the newest change of an open session is durable.
    func isDurable(_ session: Session) -> Bool {
        guard index[session.name] === session, recording.suspended[session.name] == nil else {
            return false
        }
        return !isRecorded
            || session.newestCheckpoint.newestRow == session.durableCheckpoint?.newestRow
    }

    /// Marks a session as stuck in its present entry, and notifies the watchers of the topic `stuck`. The mark is not
    /// a change and is not recorded.
    public func markStuck(_ session: Session) {
        stuckMarks.add(session)
        queueNotification(.stuck, of: session) {
            .stuck(
                StuckSession(
                    session: session.name, entry: session.entry, state: session.shownState,
                    at: now)
            )
        }
        publish()
    }

    /// Follows the stay of a session with its next durable change. A session that has entered a state or was closed has no mark any
    /// more.
    func followStay(_ change: Change, of session: Session) {
        guard let stays, stays.follow(change, of: session) else { return }
        stuckMarks.remove(session.name)
    }
}
