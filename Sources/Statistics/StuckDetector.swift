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

    private struct Followed {
        var visits = SessionVisits()
        var isStuck = false
    }

    private struct Place {
        var times = RecentTimes()
        var queue = StayQueue()
        /// The number of sessions in the state.
        var present = 0
        var isFinal = false
    }

    private let limits: DetectorLimits
    private let finals: GameStatistics.Finals
    private var clock = UptimeClock()
    private var numbers: StateNumbers
    private var places: [Place] = []
    /// No order of the sessions shows.
    private var sessions: [SessionName: Followed] = [:]

    /// How many visits of each session can be taken back by an undo; older ones stay among the times.
    private static let undoable = 8

    /// `finals` returns the final states of a version of a flow.
    package init(
        limits: DetectorLimits = DetectorLimits(), finals: @escaping GameStatistics.Finals
    ) {
        (self.limits, self.finals) = (limits, finals)
        numbers = StateNumbers(limit: limits.states)
    }

    // MARK: what happens

    /// Takes the next record of the journal.
    package mutating func take(_ record: SessionRecord) {
        switch record.body {
        case .start(let start): clock.start(at: start.now, lastAlive: start.lastAlive)
        case .givenUp: if let name = record.session { leave(name) }
        case .change: if let step = VisitStep(record) { take(step) }
        case .rest, .refusal, .advance, .forgotten, .flowText, .deliveries: break
        }
    }

    /// Takes the next change.
    package mutating func take(_ step: VisitStep) {
        if step.action == .close {
            end(step.session, at: clock.time(of: step.at))
            return leave(step.session)
        }
        guard sessions[step.session] != nil || sessions.count < limits.sessions,
            let state = number(of: step.state, in: step.version)
        else { return leave(step.session) }
        let time = clock.time(of: step.at)
        switch step.action {
        case .enter:
            end(step.session, at: time)
            _ = sessions[step.session, default: Followed()].visits.enter(
                state, seq: step.seq, at: time)
        case .undo(let first): undo(step, from: first, into: state, at: time)
        case .move:
            stop(step.session)
            sessions[step.session]?.visits.move(to: state)
        case .close: break
        }
        sessions[step.session]?.visits.keep(Self.undoable)
        wait(step.session, keepsMark: step.action == .move)
    }

    private mutating func number(of name: String, in version: FlowVersion) -> Int? {
        guard let state = numbers.number(of: name, in: version) else { return nil }
        if state == places.count {
            places.append(Place())
            places[state].isFinal = finals(version).contains(name)
        }
        return state
    }

    private mutating func undo(_ step: VisitStep, from first: Int, into state: Int, at time: Int64)
    {
        stop(step.session)
        let removed = sessions[step.session]?.visits.undo(
            from: first, into: state, seq: step.seq, at: time)
        for visit in removed ?? [] { places[visit.state].times.remove(visit.time) }
        if sessions[step.session] == nil {
            sessions[step.session] = Followed()
            _ = sessions[step.session]?.visits.enter(state, seq: step.seq, at: time)
        }
    }

    /// Ends the present visit of a session, and remembers how long it lasted.
    private mutating func end(_ session: SessionName, at time: Int64) {
        stop(session)
        guard let visit = sessions[session]?.visits.end(at: time) else { return }
        places[visit.state].times.add(visit.time)
    }

    /// The session is not counted in its state any more.
    private mutating func stop(_ session: SessionName) {
        guard let stay = sessions[session]?.visits.present else { return }
        places[stay.state].present -= 1
    }

    /// Follows the session no longer.
    private mutating func leave(_ session: SessionName) {
        stop(session)
        sessions[session] = nil
    }

    /// Counts the session in its present state, and lets it wait there.
    private mutating func wait(_ session: SessionName, keepsMark: Bool) {
        guard let stay = sessions[session]?.visits.present else { return }
        places[stay.state].present += 1
        if keepsMark, sessions[session]?.isStuck == true { return }
        sessions[session]?.isStuck = false
        if places[stay.state].isFinal { return }
        let entry = StayQueue.Entry(session: session, seq: stay.seq, since: stay.since)
        let present = places[stay.state].present
        let sessions = sessions
        places[stay.state].queue.add(entry, present: present) { waiting in
            Self.isThere(waiting, stay.state, sessions)
        }
    }

    private static func isThere(
        _ entry: StayQueue.Entry, _ state: Int, _ sessions: [SessionName: Followed]
    ) -> Bool {
        guard let followed = sessions[entry.session], !followed.isStuck,
            let stay = followed.visits.present
        else { return false }
        return stay.state == state && stay.seq == entry.seq && stay.since == entry.since
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
                sessions[entry.session]?.isStuck = true
                found.append(Found(session: entry.session, since: clock.instant(of: end)))
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
        guard let p90 = places[state].times.p90 else { return nil }
        while let entry = places[state].queue.first {
            if Self.isThere(entry, state, sessions) {
                let (end, overflow) = entry.since.addingReportingOverflow(p90)
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
