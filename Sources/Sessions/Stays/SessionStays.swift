internal import GameFlow
internal import Support
package import Timers

/// How long each session has been in its state, and which sessions stay there longer than nine of ten recent visits lasted.
///
/// A session's stay is part of the session: an entry stores one time, and moves the session from one list to another. No session
/// needs a timer; the daemon looks at the front of each list once a second. Only durable changes count, so a change that is
/// rolled back never did. Use it on the loop's thread only.
package final class SessionStays {
    /// A session that has become stuck, and the instant at which it became stuck.
    package struct Finding {
        package let session: Session
        package let stuckSince: Instant
    }

    /// The length of a visit, and the `pos` of the change that ended it.
    private struct EndedVisit {
        let pos: Int
        let time: Int64
    }

    /// A stay that began before the process followed the sessions, and that the session has left. It counts when both ends are
    /// known: the beginning is read in the journal, and the change that ended the stay becomes durable, in either order.
    private struct UnreadStay {
        /// The version of the flow that the session played.
        var version: FlowVersion
        /// The name of the state and the time at which the stay began, from the newest record of the session that was read; nil
        /// if none was read yet.
        var beginning: (state: String, since: Int64)?
        /// The time and the `pos` of the change that ended the stay, and its instant; nil if that change is not durable yet.
        var end: (visit: EndedVisit, at: Instant)?
    }

    /// The owner.
    private unowned(unsafe) let sessions: Sessions
    private let times: VisitTimes
    private var flows: [FlowVersion: FlowStays] = [:]
    /// The flow that was found most recently.
    private var latestFlow: FlowStays?
    /// The states of all flows.
    private var states: [StateStays] = []
    @exclusivity(unchecked) private var clock = UptimeClock()
    /// The newest visits that have ended, by the `pos` of their ends. An undo takes them back.
    @exclusivity(unchecked) private var ended = Deque<EndedVisit>()
    /// The sessions that have left the state in which they were when the process began to follow them, as long as not both ends
    /// of the stay in it are known.
    private var unread: [SessionName: UnreadStay] = [:]
    private var areRecordsRead = false
    /// The index in `states` at which the next search begins.
    private var nextState = 0
    /// For how long the sessions stood still before the process began to follow them, in nanoseconds.
    private let downtimeBefore: Int64
    /// The maximum number of elements of `ended`, and of `unread`.
    private let endedLimit: Int
    /// The position of the newest row that was durable when the process began to follow the sessions. The stays in the rows up
    /// to it come from the journal.
    package let firstRow: Int

    init(_ sessions: Sessions, _ times: VisitTimes) {
        (self.sessions, self.times) = (sessions, times)
        firstRow = sessions.durableRow
        endedLimit = max(1, sessions.limits.undoChanges)
        downtimeBefore = sessions.recording.starts.restarts(after: 0).earlierDowntime.nanoseconds
    }

    // MARK: changes

    /// Adds the next durable change of a session. Returns whether the change begins or ends a stay.
    func follow(_ change: Change, of session: Session) -> Bool {
        switch VisitEffect(change.kind, change.details) {
        case .begins: enter(change, session)
        case .undoes(let first): undo(from: first, change, session)
        case .continues:
            continueVisit(session)
            return false
        case .ends:
            _ = endVisit(of: session, in: session.stay.state, by: change)
            if areRecordsRead, !unread.isEmpty { unread[session.name] = nil }
            session.leaveState()
        case nil: return false
        }
        return true
    }

    private func enter(_ change: Change, _ session: Session) {
        guard let name = change.step.to?.state else { return }
        // The state is read once, because each reading counts a reference.
        let from = session.stay.state
        let now = endVisit(of: session, in: from, by: change)
        let to = state(name, of: session, in: from)
        if let from {
            from.countTransition(to: to)
        } else if let to, let from = change.step.from?.state {
            // The beginning of the stay is not read yet.
            state(from, in: to.flow)?.countTransition(to: to)
        }
        begin(session, to, after: from, since: now)
    }

    /// Remembers how long the present visit lasted, which a change has ended; `state` is the state of the session's stay. Returns
    /// the time of the change.
    private func endVisit(of session: Session, in state: StateStays?, by change: Change) -> Int64 {
        let now = clock.time(of: change.at)
        guard let state else {
            endUnread(session, by: change, at: now)
            return now
        }
        let time = max(0, now.subtractingSaturated(session.stay.since))
        state.times.add(time, endedAt: change.at.nanoseconds)
        // An older visit stays counted if an undo takes it back.
        if ended.count == endedLimit { _ = ended.removeFirst() }
        ended.append(EndedVisit(pos: change.pos, time: time))
        return now
    }

    /// Remembers the end of a stay whose beginning is not read yet, or was read before the end became durable.
    private func endUnread(_ session: Session, by change: Change, at now: Int64) {
        guard change.step.from != nil, !areRecordsRead || !unread.isEmpty else { return }
        var stay = unread[session.name] ?? UnreadStay(version: FlowVersion(session.flow))
        guard stay.end == nil else { return }
        stay.version = FlowVersion(session.flow)
        stay.end = (EndedVisit(pos: change.pos, time: now), change.at)
        if areRecordsRead {
            unread[session.name] = nil
            count(stay)
        } else if unread[session.name] != nil || unread.count < endedLimit {
            unread[session.name] = stay
        }
    }

    /// Adds the time of a stay to those of its state if both ends are known.
    private func count(_ stay: UnreadStay) {
        guard let (name, since) = stay.beginning, let end = stay.end,
            let state = state(name, in: flow(stay.version))
        else { return }
        let time = max(0, end.visit.time.subtractingSaturated(since))
        state.times.add(time, endedAt: end.at.nanoseconds)
    }

    /// Moves a session from the list of the state `present`, in which its stay was, to the list of a state. A state is nil if it is
    /// not known.
    private func begin(
        _ session: Session, _ state: StateStays?, after present: StateStays?, since: Int64,
        isPast: Bool = false
    ) {
        present?.removeIfListed(session)
        session.stay.since = since
        session.stay.state = state
        guard let state, !state.times.isFinal else { return }
        state.add(session, isPast: isPast)
    }

    /// An undo takes back the visits that began with undone changes. The visit before them continues: the time that it had
    /// lasted counts, but not the time from its end to the undo.
    private func undo(from first: Int, _ change: Change, _ session: Session) {
        guard let name = change.step.to?.state else { return }
        let now = clock.time(of: change.at)
        let present = session.stay.state
        let flow = present?.flow ?? self.flow(of: session)
        var since = present == nil ? now : session.stay.since
        var position = change.previous
        while let undone = sessions.ring[position], undone.session == change.session,
            undone.seq >= first
        {
            if undone.kind.isEntry {
                let time = takeEndedVisit(by: undone)
                if let time, let from = undone.step.from?.state {
                    flow.find(from)?.times.remove(time)
                }
                since = time.map { now.subtractingSaturated($0) } ?? now
                // The visit goes on; the time that it had lasted before is not known.
                if unread[change.session]?.end?.visit.pos == undone.pos {
                    unread[change.session] = nil
                }
            }
            position = undone.previous
        }
        // The stay before the undo was taken back, or its beginning is not known yet.
        if let left = unread[change.session], left.end == nil { unread[change.session] = nil }
        begin(session, state(name, of: session, in: present), after: present, since: since)
    }

    /// Removes the visit that a change ended, and returns how long it lasted; nil if it is no longer known.
    private func takeEndedVisit(by change: Change) -> Int64? {
        let index = BinarySearch.prefixCount(ended.count) { ended[$0].pos < change.pos }
        guard index < ended.count, ended[index].pos == change.pos, ended[index].time >= 0
        else { return nil }
        defer { ended[index] = EndedVisit(pos: change.pos, time: -1) }
        return ended[index].time
    }

    /// The session continues with another version of its flow: its visit goes on in the state of that name. The session's machine
    /// may be in a later state already, which is not durable yet.
    private func continueVisit(_ session: Session) {
        guard let before = session.stay.state else { return }
        let (since, isListed) = (session.stay.since, before.has(session))
        let state = state(before.times.state, in: flow(of: session))
        begin(session, state, after: before, since: since)
        // A session that was found to be stuck stays so, and is not found again.
        if !isListed { session.leaveList() }
    }

    /// The process stood still from one instant to the other.
    func addPause(from start: Instant, to end: Instant) { clock.addPause(from: start, to: end) }

    // MARK: states

    /// The state with this name in the flow version that a session plays, which is in the state `present`; nil if there are too many
    /// states.
    private func state(_ name: String, of session: Session, in present: StateStays?) -> StateStays?
    {
        guard let present else {
            return state(name, in: flow(of: session))
        }
        if let usual = present.usualNext, usual.times.state == name { return usual }
        let next = state(name, in: present.flow)
        present.usualNext = next
        return next
    }

    private func flow(of session: Session) -> FlowStays { flow(FlowVersion(session.flow)) }

    private func flow(_ version: FlowVersion) -> FlowStays {
        if let latestFlow, latestFlow.version == version { return latestFlow }
        let found = flows[version] ?? FlowStays(version)
        flows[version] = found
        latestFlow = found
        return found
    }

    private func state(_ name: String, in flow: FlowStays) -> StateStays? {
        if let known = flow.find(name) { return known }
        guard let times = times.times(of: name, in: flow.version) else { return nil }
        let new = flow.add(times, sessions.counts)
        states.append(new)
        return new
    }

    // MARK: the journal

    /// Adds the stay of a session that a record of the journal has begun or continued; `pos` is the position of this change.
    /// It is the session's present stay, or the session has left it since the process began to follow it; the change by which it
    /// did so need not be durable. `version` is the version of the flow that the record names. `uptime` is when the stay began,
    /// in nanoseconds without the times in which the daemon did not run.
    package func addRecorded(
        _ name: SessionName, pos: Int, in state: String, of version: FlowVersion,
        since uptime: Int64
    ) {
        let since = uptime.addingSaturated(downtimeBefore)
        guard let session = sessions.openSession(name), session.entry == pos else {
            return addUnread(name, beginning: (state, since), version)
        }
        // An undurable change by which the session had left the stay may have been rolled back.
        removeRecorded(name)
        // A move keeps the entry, so the version of the flow is the session's present one and not that of the record.
        let state = self.state(state, in: flow(of: session))
        begin(session, state, after: session.stay.state, since: since, isPast: true)
    }

    /// Remembers the beginning of a stay that the session has left, or may have left by a change that is not durable.
    private func addUnread(
        _ name: SessionName, beginning: (state: String, since: Int64), _ version: FlowVersion
    ) {
        if unread.isEmpty || unread[name] == nil {
            guard unread.count < endedLimit, mayEndUndurably(name) else { return }
        }
        var stay = unread[name] ?? UnreadStay(version: version)
        stay.beginning = beginning
        // The change that ended the stay knows the version, also after a move.
        if stay.end == nil { stay.version = version }
        unread[name] = stay
    }

    /// Removes the stay that `addRecorded` has added, because the records of the session end here or cannot be followed on.
    package func removeRecorded(_ name: SessionName) {
        guard !unread.isEmpty, let stay = unread[name] else { return }
        // An end belongs to a later session of this name.
        if stay.end == nil { unread[name] = nil } else { unread[name]?.beginning = nil }
    }

    /// Whether a session has left its stay by a change that is not durable.
    private func mayEndUndurably(_ name: SessionName) -> Bool {
        if sessions.recording.closedNotDurable.contains(name) { return true }
        guard let session = sessions.index[name], session.durableCheckpoint != nil,
            session.stay.state == nil
        else { return false }
        return !sessions.isDurable(session)
    }

    /// Call when all records up to `firstRow` were added, and before the first search. `isComplete` is false if the journal could
    /// not be read to its end: the newest stays are then not known.
    package func endOfRecords(isComplete: Bool = true) {
        areRecordsRead = true
        if !isComplete { unread = [:] }
        for (name, stay) in exchange(&unread, with: [:]) {
            if stay.end != nil {
                count(stay)
            } else if sessions.recording.closedNotDurable.contains(name) {
                unread[name] = stay
            } else if let session = sessions.index[name] {
                resume(stay, of: session, isPast: true)
            }
        }
        for state in states { state.join() }
    }

    /// The session goes on with the stay that it has left by a change that is not durable.
    private func resume(_ stay: UnreadStay, of session: Session, isPast: Bool) {
        guard let (name, since) = stay.beginning else { return }
        let state = state(name, in: flow(stay.version))
        begin(session, state, after: session.stay.state, since: since, isPast: isPast)
    }

    /// The closing of a session was rolled back.
    func closingWasRolledBack(of session: Session) {
        guard areRecordsRead, let stay = unread.removeValue(forKey: session.name) else { return }
        resume(stay, of: session, isPast: false)
    }

    // MARK: stuck sessions

    /// Returns sessions that have become stuck, each once for each of its stays. Looks at no more states and sessions than
    /// `effort` allows, which it reduces; the next call continues where this one ended.
    package func takeStuck(_ effort: inout StuckSearchEffort) -> [Finding] {
        let now = clock.time(of: sessions.now)
        var findings: [Finding] = []
        for _ in 0..<states.count {
            if nextState >= states.count { nextState = 0 }
            let state = states[nextState]
            guard state.first != nil else {
                nextState += 1
                continue
            }
            if !state.times.isP90Known {
                guard effort.percentiles > 0 else { return findings }
                effort.percentiles -= 1
            }
            guard takeStuck(in: state, at: now, &effort, &findings) else { return findings }
            nextState += 1
        }
        return findings
    }

    /// Takes the stuck sessions of one state. Returns whether all of them were taken.
    private func takeStuck(
        in state: StateStays, at now: Int64, _ effort: inout StuckSearchEffort,
        _ findings: inout [Finding]
    ) -> Bool {
        guard let p90 = state.times.p90 else { return true }
        var candidate = state.first
        while let session = candidate {
            let stuckAt = session.stay.since.addingSaturated(p90)
            guard stuckAt < now else { return true }
            guard effort.sessions > 0 else { return false }
            effort.sessions -= 1
            candidate = session.stay.newer?.counted
            // If the newest change is not durable yet, the session may have left the state. The next search finds it.
            guard sessions.isDurable(session) else { continue }
            session.leaveList()
            findings.append(Finding(session: session, stuckSince: clock.instant(of: stuckAt)))
        }
        return true
    }
}
