import Durability
import GameFlow
import JSONCoding
import Sessions
import Timers

/// The injected fault `timersNotEnded`: for each timer that a change has ended, sets another one that fires at the same
/// time, until the session is closed.
final class LingeringTimers {
    /// A session with its timers after the newest change, and the timers that were ended and set again.
    private struct KnownSession {
        let session: Session
        var timers: [LiveTimer] = []
        var lingering: [Lingering] = []
    }

    /// A timer that fires in place of one that was ended.
    private final class Lingering: TimerOwner {
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
    private var known: [SessionName: KnownSession] = [:]

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
        var entry = known(session)
        for timer in entry.timers where isEnded(timer, timers) {
            entry.lingering.append(Lingering(timer, session, in: sessions))
        }
        entry.timers = timers
        known[name] = entry
    }

    /// The known timers of a session; none if they belong to an earlier session of its name, whose opening was undone.
    private func known(_ session: Session) -> KnownSession {
        if let known = known[session.name], known.session === session { return known }
        remove(session.name)
        return KnownSession(session: session)
    }

    /// Whether a timer was running and is not one of `timers`, those of the present state.
    private func isEnded(_ timer: LiveTimer, _ timers: [LiveTimer]) -> Bool {
        guard !timer.info.isPaused, !timers.contains(where: { $0.id == timer.id }) else {
            return false
        }
        return timer.info.isPendulum || timer.info.deadline.map { $0 > sessions.now } == true
    }

    private func remove(_ name: SessionName) {
        for timer in known.removeValue(forKey: name)?.lingering ?? [] { timer.end() }
    }

    /// After a rollback the restored timers have other ids.
    func refresh(after outcome: GroupCommit.Outcome) {
        if case .durable = outcome { return }
        refresh()
    }

    private func refresh() {
        for session in sessions.list(limit: .max - 1).sessions {
            var now = known(session)
            now.timers = session.machine.liveTimers
            known[session.name] = now
        }
    }

    /// Ends all lingering timers.
    func end() { for name in Array(known.keys) { remove(name) } }
}
