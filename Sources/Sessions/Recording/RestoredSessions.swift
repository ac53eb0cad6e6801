internal import GameFlow
internal import Timers

/// Sessions that were restored from their rows but are not yet in the index, and whose timers are not yet set.
struct RestoredSessions {
    private(set) var sessions: [Session] = []
    private(set) var timers: [RestoredTimer] = []
    /// The position of the newest change.
    private(set) var pos: Int
    private let starts: Starts
    private let lastSign: Instant?

    init(_ written: Sessions.Written, lastSign: Instant?) {
        (pos, starts, self.lastSign) = (written.pos, written.starts, lastSign)
        sessions.reserveCapacity(written.sessions.count)
        timers.reserveCapacity(written.sessions.count)
    }

    /// Restores a session, unless it is closed.
    mutating func take(_ row: borrowing WrittenSession, _ name: SessionName, in sessions: Sessions)
        throws(Sessions.Quarantined)
    {
        pos = max(pos, row.record.pos)
        guard let status = row.record.status, !row.record.isClosing else { return }
        do throws(NotRestored) {
            guard let snapshot = status.machine else {
                throw NotRestored(why: "its last rows are missing")
            }
            guard let flow = sessions.flows.first(where: { $0.name == status.flow }) else {
                throw NotRestored(why: "there is no flow \(status.flow)")
            }
            let restarts = starts.restarts(after: row.record.position ?? row.mark.position)
            let pause = Downtime(
                lastSign: lastSign, stoodStill: restarts.stoodStill, restartedAt: restarts.last)
            let session = Session(name, flow, in: sessions, openedAt: status.openedAt)
            try session.restore(row, snapshot, pause, adding: &timers)
            self.sessions.append(session)
        } catch {
            throw Sessions.Quarantined(session: name, why: error.why)
        }
    }
}
