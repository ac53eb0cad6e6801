package import Sessions
package import Timers

/// Finds sessions that stay in a state longer than nine of ten recent visits of that state lasted.
///
/// It reads the records of a journal, and then the changes as they happen. A session is compared only with visits in the same
/// version of its flow. A final state, and a state with fewer than 20 past visits, has no stuck sessions. Each state has a
/// queue of its sessions. So the work for a change does not depend on the number of sessions, and no session needs a timer.
package struct StuckDetector {
    package struct DetectorLimits: Sendable {
        /// The maximum number of sessions that are followed; the detector ignores further ones.
        package var sessions = 100_000
        /// The maximum number of states that are followed, of all flows together. A state that several versions of a flow
        /// have counts once for each version.
        package var states = 4096
        package init() {}
    }

    /// A session that became stuck, and the instant at which it became stuck.
    package struct Finding: Equatable, Sendable {
        package let session: SessionName
        package let stuckSince: Instant
    }

    /// The sessions that are in one state.
    private struct StateOccupancy {
        var queue = StayQueue()
        /// The number of sessions in the state.
        var present = 0
    }

    private let limits: DetectorLimits
    /// How long past visits lasted.
    private let times: VisitTimes
    private var clock = UptimeClock()
    /// The sessions in each state, by the number of the state.
    private var occupancies: [StateOccupancy] = []
    /// The followed sessions. Their order does not affect any result.
    private var sessions: [SessionName: FollowedSession] = [:]
    /// The session of the most recent step. The next step is often of the same session.
    private var latest: FollowedSession?

    /// How many past visits of a session an undo can remove from `times`. The times of older visits remain.
    private static let undoableVisits = 8

    /// `finals` returns the final states of a version of a flow.
    package init(
        limits: DetectorLimits = DetectorLimits(), finals: @escaping GameStatistics.Finals
    ) {
        self.init(limits: limits, times: VisitTimes(states: limits.states, finals: finals))
    }

    /// A detector for the sessions of one of several journals, which share `times`.
    package init(limits: DetectorLimits = DetectorLimits(), times: VisitTimes) {
        (self.limits, self.times) = (limits, times)
    }

    // MARK: records and changes

    /// Adds the next record of the journal. `isNew` is false if `times` already contains the visits that end with this record.
    package mutating func add(_ record: SessionRecord, isNew: Bool = true) {
        switch record.body {
        case .start(let start): addPause(before: start)
        case .quarantineGivenUp:
            if let name = record.session, let session = find(name) { unfollow(session) }
        case .change: if let step = VisitStep(record) { add(step, isNew: isNew) }
        case .rest, .refusal, .advance, .forgotten, .flowText, .deliveries, .clock: break
        }
    }

    /// Adds the pause before a start; see `UptimeClock`.
    package mutating func addPause(before start: SessionRecord.Start) {
        clock.addPause(before: start)
    }

    /// Adds the next change. `isNew` is false if `times` already contains the visit that ends with this change.
    package mutating func add(_ step: VisitStep, isNew: Bool = true) {
        let followed = find(step.session)
        if step.action == .close {
            guard let followed else { return }
            end(followed, step, isNew: isNew)
            return unfollow(followed)
        }
        guard followed != nil || sessions.count < limits.sessions,
            let state = number(of: step.state, in: step.version)
        else {
            if let followed { unfollow(followed) }
            return
        }
        let time = clock.time(of: step.at)
        switch step.action {
        case .enter:
            if let followed { end(followed, step, isNew: isNew) }
            enter(followed ?? follow(step.session), step, state, at: time)
        case .undo(let first):
            if let followed {
                undo(step, of: followed, from: first, into: state, isNew: isNew)
            } else {
                enter(follow(step.session), step, state, at: time)
            }
        case .move:
            guard let followed else { return }
            leaveState(followed)
            followed.visits.move(to: state)
            enterState(followed, keepsStuckMark: true)
        case .close: break
        }
    }

    /// The followed session of that name; nil if it is not followed.
    private mutating func find(_ name: SessionName) -> FollowedSession? {
        if let latest, latest.name == name { return latest }
        guard let session = sessions[name] else { return nil }
        latest = session
        return session
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
        beginStay(session)
    }

    /// Call after the session has begun its present visit.
    private mutating func beginStay(_ session: FollowedSession) {
        session.visits.removeOldest(keeping: Self.undoableVisits)
        enterState(session, keepsStuckMark: false)
    }

    private mutating func number(of name: String, in version: FlowVersion) -> Int? {
        guard let state = times.number(of: name, in: version) else { return nil }
        while occupancies.count <= state { occupancies.append(StateOccupancy()) }
        return state
    }

    private mutating func undo(
        _ step: VisitStep, of session: FollowedSession, from first: Int, into state: Int,
        isNew: Bool
    ) {
        leaveState(session)
        let removed = session.visits.undo(
            from: first, into: state, seq: step.seq, at: clock.time(of: step.at))
        if isNew { for visit in removed { times.remove(visit) } }
        beginStay(session)
    }

    /// Ends the present visit of a session, and remembers how long it lasted.
    private mutating func end(_ session: FollowedSession, _ step: VisitStep, isNew: Bool) {
        leaveState(session)
        let visit = session.visits.end(at: clock.time(of: step.at))
        if let visit, isNew { times.add(visit, endedAt: step.at.nanoseconds) }
    }

    /// Stops counting the session in its present state.
    private mutating func leaveState(_ session: FollowedSession) {
        guard let stay = session.visits.present else { return }
        occupancies[stay.state].present -= 1
    }

    /// Stops following the session.
    private mutating func unfollow(_ session: FollowedSession) {
        leaveState(session)
        // Without a present visit, the session's stays in the queues are outdated.
        session.visits = SessionVisits()
        sessions[session.name] = nil
        latest = nil
    }

    /// Counts the session in its present state. If the session is stuck and `keepsStuckMark` is true, it remains stuck.
    /// Otherwise it is no longer stuck, and is added to the queue of the state, unless the state is final.
    private mutating func enterState(_ session: FollowedSession, keepsStuckMark: Bool) {
        guard let stay = session.visits.present else { return }
        occupancies[stay.state].present += 1
        if keepsStuckMark, session.isStuck { return }
        session.isStuck = false
        if times.isFinal(stay.state) { return }
        let present = occupancies[stay.state].present
        occupancies[stay.state].queue.add(
            StayQueue.QueuedStay(session: session, stay: stay), sessionsInState: present)
    }

    // MARK: stuck sessions

    /// The sessions that have become stuck by this instant, by state and then by the beginning of their stays. A session is
    /// returned once for each of its stays.
    package mutating func takeStuck(at instant: Instant) -> [Finding] {
        let now = clock.time(of: instant)
        var findings: [Finding] = []
        for state in occupancies.indices {
            while let (queuedStay, stuckAt) = first(in: state), stuckAt < now {
                occupancies[state].queue.removeFirst()
                let session = queuedStay.session
                session.isStuck = true
                findings.append(
                    Finding(session: session.name, stuckSince: clock.instant(of: stuckAt)))
            }
        }
        return findings
    }

    /// The instant after which `takeStuck` returns the next session, unless a change happens before; nil if no session will
    /// become stuck.
    package mutating func nextStuckInstant() -> Instant? {
        var earliest: Int64?
        for state in occupancies.indices {
            if let (_, stuckAt) = first(in: state) { earliest = min(earliest ?? stuckAt, stuckAt) }
        }
        return earliest.map { clock.instant(of: $0) }
    }

    /// Of the sessions in a state that are not stuck: the session that has been there longest, and the time at which it becomes
    /// stuck. Nil if each session in the state is stuck, if the state has no sessions, or if too few visits of the state are
    /// known.
    private mutating func first(in state: Int)
        -> (queuedStay: StayQueue.QueuedStay, stuckAt: Int64)?
    {
        guard let p90 = times.p90(of: state) else { return nil }
        while let queuedStay = occupancies[state].queue.first {
            if queuedStay.isPresent {
                let (end, overflow) = queuedStay.stay.since.addingReportingOverflow(p90)
                return (queuedStay, overflow ? .max : end)
            }
            occupancies[state].queue.removeFirst()
        }
        return nil
    }

    /// Whether `takeStuck` has returned the session for its present stay.
    package func isStuck(_ session: SessionName) -> Bool { sessions[session]?.isStuck == true }

    /// The number of sessions that are followed.
    package var count: Int { sessions.count }

    /// The number of stays in all queues, including outdated ones.
    var queuedStays: Int { occupancies.reduce(0) { $0 + $1.queue.count } }
}
