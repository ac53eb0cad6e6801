/// The visits of states by one session, with the time spent in each.
///
/// A visit lasts from an entry into a state to the next entry, also one into the same state, or to the end of the session.
/// Times are in nanoseconds of an `UptimeClock`.
struct SessionVisits {
    /// A visit that is over.
    struct Visit: Equatable {
        /// The number of the state.
        let state: Int
        /// The number of the change that entered the state.
        let seq: Int
        let time: Int64
    }

    /// A visit that goes on.
    struct Stay: Equatable {
        var state: Int
        let seq: Int
        let since: Int64
    }

    /// The visits that are over and count, oldest first.
    private(set) var past: [Visit] = []
    /// The present visit; nil if its entry is not known.
    private(set) var present: Stay?

    /// Ends the present visit, and returns it.
    mutating func end(at time: Int64) -> Visit? {
        guard let stay = present else { return nil }
        let (gap, overflow) = time.subtractingReportingOverflow(stay.since)
        let visit = Visit(
            state: stay.state, seq: stay.seq, time: overflow ? .max : max(0, gap))
        past.append(visit)
        present = nil
        return visit
    }

    /// Begins a visit. Returns the one that ends by that.
    mutating func enter(_ state: Int, seq: Int, at time: Int64) -> Visit? {
        let ended = end(at: time)
        present = Stay(state: state, seq: seq, since: time)
        return ended
    }

    /// Undoes all changes from a number on; the change with the number `seq` has undone them and entered `state`.
    ///
    /// Visits that began in undone changes do not count. The visit before them goes on: what it had lasted is kept, and
    /// the time between it and the undo is left out. Returns the visits that were over and do not count any more.
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

    /// The session goes on in the same visit with another version of its flow, whose state has this number.
    mutating func move(to state: Int) { present?.state = state }

    /// Forgets the oldest visits that are over, so that `count` remain.
    mutating func keep(_ count: Int) {
        if past.count > count { past.removeFirst(past.count - count) }
    }
}
