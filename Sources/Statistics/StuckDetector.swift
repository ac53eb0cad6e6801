package import Sessions
package import Timers

/// Finds sessions that stay in a state longer than nine of ten recent visits of that state lasted.
///
/// It takes the records of a journal, and then the changes as they happen. The times are those of the same version of the
/// flow. A state with fewer than 20 past visits, and a final state, has no stuck session. The work for a change does not
/// depend on the number of sessions, and no session needs a timer: the sessions of a state wait in the order in which they
/// entered it.
package struct StuckDetector {
    package struct DetectorLimits: Sendable {
        /// The number of sessions that are followed; further ones are never found.
        package var sessions = 100_000
        /// The number of states that are followed, separately for each version of a flow.
        package var states = 4096
        package init() {}
    }

    /// A session that is stuck, and the instant since which it is.
    package struct Found: Equatable, Sendable {
        package let session: SessionName
        package let since: Instant
    }

    private struct Place {
        var queue = StayQueue()
        /// The number of sessions in the state.
        var present = 0
    }

    private let limits: DetectorLimits
    private let times: VisitTimes
    private var clock = UptimeClock()
    private var places: [Place] = []
    /// No order of the sessions shows.
    private var sessions: [SessionName: FollowedSession] = [:]
    /// The session of the last step, which is often that of the next one.
    private var latest: FollowedSession?

    /// How many visits of each session can be taken back by an undo; older ones stay among the times.
    private static let undoable = 8

    /// `finals` returns the final states of a version of a flow.
    package init(
        limits: DetectorLimits = DetectorLimits(), finals: @escaping GameStatistics.Finals
    ) {
        self.init(limits: limits, times: VisitTimes(states: limits.states, finals: finals))
    }

    /// A detector for the sessions of one of several journals, which share the times of their visits.
    package init(limits: DetectorLimits = DetectorLimits(), times: VisitTimes) {
        (self.limits, self.times) = (limits, times)
    }

    // MARK: what happens

    /// Takes the next record of the journal. Unless it is new, the times of visits that it ends are known already.
    package mutating func take(_ record: SessionRecord, isNew: Bool = true) {
        switch record.body {
        case .start(let start): clock.take(start)
        case .givenUp: if let name = record.session, let session = find(name) { leave(session) }
        case .change: if let step = VisitStep(record) { take(step, isNew: isNew) }
        case .rest, .refusal, .advance, .forgotten, .flowText, .deliveries: break
        }
    }

    /// Takes the next change.
    package mutating func take(_ step: VisitStep, isNew: Bool = true) {
        let known = find(step.session)
        if step.action == .close {
            guard let known else { return }
            end(known, step, isNew: isNew)
            return leave(known)
        }
        guard known != nil || sessions.count < limits.sessions,
            let state = number(of: step.state, in: step.version)
        else {
            if let known { leave(known) }
            return
        }
        let time = clock.time(of: step.at)
        switch step.action {
        case .enter:
            if let known { end(known, step, isNew: isNew) }
            enter(known ?? follow(step.session), step, state, at: time)
        case .undo(let first):
            if let known {
                undo(step, of: known, from: first, into: state, isNew: isNew)
            } else {
                enter(follow(step.session), step, state, at: time)
            }
        case .move:
            guard let known else { return }
            stop(known)
            known.visits.move(to: state)
            wait(known, keepsMark: true)
        case .close: break
        }
    }

    /// The session of that name, if it is followed.
    private mutating func find(_ name: SessionName) -> FollowedSession? {
        if let latest, latest.name == name { return latest }
        guard let found = sessions[name] else { return nil }
        latest = found
        return found
    }

    private mutating func follow(_ name: SessionName) -> FollowedSession {
        let session = FollowedSession(name)
        sessions[name] = session
        latest = session
        return session
    }

    private mutating func enter(
        _ session: FollowedSession, _ step: VisitStep, _ state: Int, at time: Int64
    ) {
        _ = session.visits.enter(state, seq: step.seq, at: time)
        settle(session)
    }

    /// The session has entered its present visit.
    private mutating func settle(_ session: FollowedSession) {
        session.visits.keep(Self.undoable)
        wait(session, keepsMark: false)
    }

    private mutating func number(of name: String, in version: FlowVersion) -> Int? {
        guard let state = times.number(of: name, in: version) else { return nil }
        while places.count <= state { places.append(Place()) }
        return state
    }

    private mutating func undo(
        _ step: VisitStep, of session: FollowedSession, from first: Int, into state: Int,
        isNew: Bool
    ) {
        stop(session)
        let removed = session.visits.undo(
            from: first, into: state, seq: step.seq, at: clock.time(of: step.at))
        if isNew { for visit in removed { times.remove(visit) } }
        settle(session)
    }

    /// Ends the present visit of a session, and remembers how long it lasted.
    private mutating func end(_ session: FollowedSession, _ step: VisitStep, isNew: Bool) {
        stop(session)
        let visit = session.visits.end(at: clock.time(of: step.at))
        if let visit, isNew { times.add(visit, endedAt: step.at.nanoseconds) }
    }

    /// The session is not counted in its state any more.
    private mutating func stop(_ session: FollowedSession) {
        guard let stay = session.visits.present else { return }
        places[stay.state].present -= 1
    }

    /// Follows the session no longer.
    private mutating func leave(_ session: FollowedSession) {
        stop(session)
        // Its entries in the queues are then of no present visit.
        session.visits = SessionVisits()
        sessions[session.name] = nil
        latest = nil
    }

    /// Counts the session in its present state, and lets it wait there.
    private mutating func wait(_ session: FollowedSession, keepsMark: Bool) {
        guard let stay = session.visits.present else { return }
        places[stay.state].present += 1
        if keepsMark, session.isStuck { return }
        session.isStuck = false
        if times.isFinal(stay.state) { return }
        let present = places[stay.state].present
        places[stay.state].queue.add(
            StayQueue.Entry(session: session, stay: stay), present: present)
    }

    // MARK: stuck sessions

    /// The sessions that have become stuck by this instant, by state and then by the beginning of their stays. Each one is
    /// returned once in each entry.
    package mutating func takeStuck(at instant: Instant) -> [Found] {
        let now = clock.time(of: instant)
        var found: [Found] = []
        for state in places.indices {
            while let (entry, end) = first(in: state), end < now {
                places[state].queue.removeFirst()
                entry.session.isStuck = true
                found.append(Found(session: entry.session.name, since: clock.instant(of: end)))
            }
        }
        return found
    }

    /// The instant after which `takeStuck` finds the next session, if nothing happens before; nil if there is none.
    package mutating func next() -> Instant? {
        var earliest: Int64?
        for state in places.indices {
            if let (_, end) = first(in: state) { earliest = min(earliest ?? end, end) }
        }
        return earliest.map { clock.instant(of: $0) }
    }

    /// The session that entered a state first and is still there, not stuck, and the time until which its stay is usual. Nil
    /// if there is none, or if the usual time is not known.
    private mutating func first(in state: Int) -> (entry: StayQueue.Entry, end: Int64)? {
        guard let p90 = times.p90(of: state) else { return nil }
        while let entry = places[state].queue.first {
            if entry.isPresent {
                let (end, overflow) = entry.stay.since.addingReportingOverflow(p90)
                return (entry, overflow ? .max : end)
            }
            places[state].queue.removeFirst()
        }
        return nil
    }

    package func isStuck(_ session: SessionName) -> Bool { sessions[session]?.isStuck == true }

    /// The number of sessions that are followed.
    package var count: Int { sessions.count }

    /// The number of stays that wait, with those that are over and not yet removed.
    var waiting: Int { places.reduce(0) { $0 + $1.queue.count } }
}
