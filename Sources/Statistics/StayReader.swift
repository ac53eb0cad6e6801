package import Sessions
internal import Timers

/// Reads from the records of a journal how long visits of states lasted, and since when each open session is in its state.
package struct StayReader {
    /// A session of the journal, until it is closed.
    private struct Followed {
        var visits = SessionVisits()
        /// The `pos` of the change that began or continued the present visit.
        var entry = 0
    }

    private let stays: SessionStays
    private let times: VisitTimes
    private let sessionLimit: Int
    private var clock = UptimeClock()
    private var stateNumbers = StateNumbers(limit: VisitTimes.stateLimit)
    /// The times of the states, by the number of the state; nil if there are too many states.
    private var stateTimes: [StateVisitTimes?] = []
    /// The sessions that are followed. There are many tables, each for a part of the names: one table for 100 000 sessions would hold
    /// the loop for too long when it is copied, because it has grown, and when it is released.
    private var followed = [[SessionName: Followed]](repeating: [:], count: partCount)
    private var followedCount = 0
    private static let partCount = 128

    /// How many past visits of a session an undo can remove from the times. The times of older visits remain.
    private static let undoableVisits = 8

    /// `sessionLimit` is the maximum number of sessions that are followed at the same time; further ones are ignored.
    package init(_ stays: SessionStays, _ times: VisitTimes, sessionLimit: Int = 100_000) {
        (self.stays, self.times, self.sessionLimit) = (stays, times, sessionLimit)
    }

    /// Adds the next record. `isNew` is false if the times already contain the visit that ends with this record.
    package mutating func add(_ record: SessionRecord, isNew: Bool) {
        switch record.body {
        case .start(let start): clock.addPause(before: start)
        case .quarantineGivenUp: if let name = record.session { stopFollowing(name) }
        case .change(let recorded): add(recorded, record, isNew: isNew)
        case .rest, .refusal, .advance, .forgotten, .flowText, .deliveries, .clock: break
        }
    }

    private mutating func add(
        _ recorded: SessionRecord.Status, _ record: SessionRecord, isNew: Bool
    ) {
        guard let name = record.session, let (effect, stateName) = recorded.visit else { return }
        let known = followed[part(of: name)][name]
        guard known != nil || followedCount < sessionLimit else { return }
        var session = known ?? Followed()
        let now = clock.time(of: record.at)
        if effect == .ends {
            if isNew, let visit = session.visits.end(at: now) { add(visit, endedBy: record) }
            return stopFollowing(name)
        }
        guard let state = number(of: stateName, in: FlowVersion(recorded)) else {
            return stopFollowing(name)
        }
        switch effect {
        case .begins:
            let visit = session.visits.enter(state, seq: record.seq, at: now)
            if isNew, let visit { add(visit, endedBy: record) }
            session.entry = record.pos
        case .undoes(let first):
            let removed = session.visits.undo(from: first, into: state, seq: record.seq, at: now)
            if isNew { for visit in removed { stateTimes[visit.state]?.remove(visit.time) } }
            session.entry = record.pos
        case .continues: session.visits.continuePresent(in: state)
        case .ends: break
        }
        session.visits.removeOldest(keeping: Self.undoableVisits)
        if let present = session.visits.present {
            stays.addRecorded(
                name, pos: session.entry, in: stateName, of: FlowVersion(recorded),
                since: present.since)
        }
        if known == nil { followedCount += 1 }
        followed[part(of: name)][name] = session
    }

    private func part(of name: SessionName) -> Int {
        Int(UInt(bitPattern: name.hashValue) % UInt(Self.partCount))
    }

    private mutating func stopFollowing(_ name: SessionName) {
        if followed[part(of: name)].removeValue(forKey: name) != nil { followedCount -= 1 }
        stays.removeRecorded(name)
    }

    /// Releases a part of what the reader has stored. Returns whether anything is left. Call it when all records were added.
    package mutating func releasePart() -> Bool { followed.popLast() != nil }

    private func add(_ visit: SessionVisits.Visit, endedBy record: SessionRecord) {
        stateTimes[visit.state]?.add(visit.time, endedAt: record.at.nanoseconds)
    }

    private mutating func number(of name: String, in version: FlowVersion) -> Int? {
        guard let state = stateNumbers.number(of: name, in: version) else { return nil }
        if state == stateTimes.count { stateTimes.append(times.times(of: name, in: version)) }
        return state
    }
}
