/// The visits of states by one session, and how long each visit lasted.
///
/// A visit begins when the session enters a state. It ends at the session's next entry, even into the same state, or at the end
/// of the session. Times are in nanoseconds of an `UptimeClock`, which does not count the time in which the daemon did not run.
struct SessionVisits {
    /// A visit that has ended.
    struct Visit: Equatable {
        /// The number that `StateNumbers` has given to the state in this version of the flow.
        let state: Int
        /// The number of the change that entered the state.
        let seq: Int
        /// How long the visit lasted.
        let time: Int64
    }

    /// A visit that has not ended.
    struct Stay: Equatable {
        /// The number of the state, as in `Visit`.
        var state: Int
        /// The number of the change that entered the state.
        let seq: Int
        /// When the visit began.
        let since: Int64
    }

    /// The visits that have ended and were not undone, oldest first.
    private(set) var past: [Visit] = []
    /// The present visit; nil if its entry is not known.
    private(set) var present: Stay?

    /// Ends the present visit, and returns it; nil if the present visit is not known.
    mutating func end(at time: Int64) -> Visit? {
        guard let stay = present else { return nil }
        let (length, overflow) = time.subtractingReportingOverflow(stay.since)
        let visit = Visit(
            state: stay.state, seq: stay.seq, time: overflow ? .max : max(0, length))
        past.append(visit)
        present = nil
        return visit
    }

    /// Begins a visit. Returns the previous visit, which ends.
    mutating func enter(_ state: Int, seq: Int, at time: Int64) -> Visit? {
        let ended = end(at: time)
        present = Stay(state: state, seq: seq, since: time)
        return ended
    }

    /// Undoes all changes from the number `first` on. The change with the number `seq` undid them and entered `state`.
    ///
    /// Visits that began with undone changes do not count. The last visit before them continues. The time that this visit had
    /// lasted still counts, but the time from its end to the undo does not count. Returns the visits that were removed from
    /// `past`: the undone visits, and the visit that continues.
    mutating func undo(from first: Int, into state: Int, seq: Int, at time: Int64) -> [Visit] {
        if let stay = present, stay.seq < first {
            present = Stay(state: state, seq: stay.seq, since: stay.since)
            return []
        }
        present = Stay(state: state, seq: seq, since: time)
        var removed: [Visit] = []
        while let last = past.last, last.seq >= first { removed.append(past.removeLast()) }
        guard let before = past.last, before.state == state else { return removed }
        removed.append(past.removeLast())
        let (since, overflow) = time.subtractingReportingOverflow(before.time)
        present = Stay(state: state, seq: before.seq, since: overflow ? time : since)
        return removed
    }

    /// The session was moved to another version of its flow. The present visit continues in the state with this number.
    mutating func continuePresent(in state: Int) { present?.state = state }

    /// Removes the oldest ended visits, so that at most `count` remain.
    mutating func removeOldest(keeping count: Int) {
        if past.count > count { past.removeFirst(past.count - count) }
    }
}
