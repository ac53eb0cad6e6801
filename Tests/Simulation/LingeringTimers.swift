import Durability
import GameFlow
import JSONCoding
import Sessions
import Timers

/// The injected fault `timersNotEnded`. When a change ends a timer, this class sets a replacement, which fires instead of the
/// ended timer. A replacement is a countdown with the same deadline, or a pendulum with the same period. It ends when the
/// session is closed.
final class LingeringTimers {
    /// A session, its timers after the newest change, and the replacements of its ended timers.
    private struct KnownSession {
        let session: Session
        var timers: [LiveTimer] = []
        var replacements: [LingeringTimer] = []
    }

    /// The replacement of a timer that was ended.
    private final class LingeringTimer: TimerOwner {
        private let session: Session
        private unowned let sessions: Sessions
        private var group = TimerGroup()

        init(_ timer: LiveTimer, _ session: Session, in sessions: Sessions) {
            (self.session, self.sessions) = (session, sessions)
            super.init()
            let (info, timerQueue) = (timer.info, sessions.clock.timerQueue)
            if info.isPendulum {
                _ = timerQueue.setPendulum(info.total, tag: info.tag, in: &group, for: self)
            } else {
                let left = info.deadline.map { $0 - timerQueue.now } ?? info.remaining
                _ = timerQueue.setCountdown(
                    info.total, remaining: left, tag: info.tag, in: &group, for: self)
            }
        }

        override func due(_ firing: Firing) {
            guard (try? sessions.session(session.name)) === session else { return }
            session.machine.due(firing)
        }

        func end() { sessions.clock.timerQueue.end(group) }
    }

    private unowned let sessions: Sessions
    private var knownSessions: [SessionName: KnownSession] = [:]

    /// Observes every change that the sessions record from now on.
    init(of sessions: Sessions) {
        self.sessions = sessions
        refresh()
        let record = sessions.recorder!  // the group commit has set it
        sessions.recorder = { [unowned self] row, previous in
            update(after: row)
            return record(row, previous)
        }
    }

    private func update(after row: SessionRecord) {
        guard let name = row.session, row.kind != .refusal else { return }
        guard row.status?.machine != nil, let session = try? sessions.session(name)
        else { return remove(name) }
        let timers = session.machine.liveTimers
        var updated = knownSession(session)
        for timer in updated.timers where isEnded(timer, presentTimers: timers) {
            updated.replacements.append(LingeringTimer(timer, session, in: sessions))
        }
        updated.timers = timers
        knownSessions[name] = updated
    }

    /// The known timers of a session. Forgets the timers of an earlier session with this name. The opening of that session was
    /// rolled back.
    private func knownSession(_ session: Session) -> KnownSession {
        if let known = knownSessions[session.name], known.session === session { return known }
        remove(session.name)
        return KnownSession(session: session)
    }

    /// Whether a change ended the timer. This is true if all these conditions hold:
    /// - The timer was running.
    /// - The timer is not one of the present timers of its session.
    /// - The timer did not end because it fired.
    private func isEnded(_ timer: LiveTimer, presentTimers: [LiveTimer]) -> Bool {
        guard !timer.info.isPaused, !presentTimers.contains(where: { $0.id == timer.id }) else {
            return false
        }
        return timer.info.isPendulum || timer.info.deadline.map { $0 > sessions.now } == true
    }

    private func remove(_ name: SessionName) {
        for timer in knownSessions.removeValue(forKey: name)?.replacements ?? [] { timer.end() }
    }

    /// Reads the timers of all sessions again after a rollback, because the restored timers have other ids.
    func refresh(after outcome: GroupCommit.Outcome) {
        if case .durable = outcome { return }
        refresh()
    }

    private func refresh() {
        for session in sessions.all {
            var updated = knownSession(session)
            updated.timers = session.machine.liveTimers
            knownSessions[session.name] = updated
        }
    }

    /// Ends all lingering timers.
    func end() { for name in Array(knownSessions.keys) { remove(name) } }
}
