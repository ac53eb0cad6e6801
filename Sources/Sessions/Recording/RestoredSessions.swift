internal import GameFlow
internal import Timers

/// The sessions that were restored so far. These sessions are not in the index yet, and their timers are not set yet.
struct RestoredSessions {
    /// When the daemon did not run.
    enum Pause {
        /// The daemon did not run from `lastAlive` until now.
        case restart(lastAlive: Instant)
        /// Another node ran the sessions until the instant `at`, and handed them over. The timers ran all the time.
        case handOver(at: Instant)
        /// The daemon was restarted at `restartedAt`, which the starts contain, and has run since then.
        case unread(restartedAt: Instant)
    }

    private(set) var sessions: [Session] = []
    private(set) var timers: [RestoredTimer] = []
    /// The `pos` of the newest change.
    private(set) var pos: Int
    private let starts: Starts
    private let pause: Pause

    init(_ pause: Pause, _ starts: Starts, capacity: Int, pos: Int = 0) {
        (self.pause, self.starts, self.pos) = (pause, starts, pos)
        sessions.reserveCapacity(capacity)
        timers.reserveCapacity(capacity)
    }

    /// Restores the session `name` from its record, unless the session is closed.
    mutating func restore(
        _ record: borrowing SessionRecord, _ checkpoint: Checkpoint, _ name: SessionName,
        in sessions: Sessions
    ) throws(Sessions.QuarantineError) {
        pos = max(pos, record.pos)
        guard let status = record.status, !record.isClosing else { return }
        do throws(RestoreError) {
            // Only the session's last row of a call has a snapshot. If this row has none, the later rows of its call were lost.
            guard let snapshot = status.machine else {
                throw RestoreError(why: "its last rows are missing")
            }
            let flow = try sessions.catalog.flow(of: status)
            let restarts = starts.restarts(after: checkpoint.stateRow)
            let session = Session(name, flow, in: sessions, openedAt: status.openedAt)
            let chance = sessions.chance(for: snapshot, of: name, flow, openedAt: record.pos)
            try session.restore(
                record, checkpoint, snapshot.with(chance),
                downtime(restarts, snapshotAt: record.at), adding: &timers)
            self.sessions.append(session)
        } catch {
            throw Sessions.QuarantineError(
                session: name, why: error.why, flow: status.flow)
        }
    }

    /// Says when the timers of a session did not run, which was recorded at `snapshotAt`, before `restarts`.
    private func downtime(_ restarts: Restarts, snapshotAt: Instant) -> Downtime {
        switch pause {
        case .restart(let lastAlive):
            Downtime(
                lastAlive: lastAlive, earlierDowntime: restarts.earlierDowntime,
                restartedAt: restarts.lastInstant, snapshotAt: snapshotAt)
        case .handOver(let instant), .unread(let instant):
            Downtime(
                since: instant, pendulums: [:], earlierDowntime: restarts.earlierDowntime,
                restartedAt: restarts.lastInstant, snapshotAt: snapshotAt)
        }
    }
}
