internal import Sessions

/// A session that the detector follows, until it is closed.
final class FollowedSession {
    let name: SessionName
    var visits = SessionVisits()
    var isStuck = false

    init(_ name: SessionName) { self.name = name }
}

/// The sessions that are in one state, by the beginning of their stays.
///
/// All of them are compared with the same time, so the first one is always the next that can exceed it. A session that has
/// left is removed when it comes first, or when there are too many such entries.
struct StayQueue {
    struct Entry {
        let session: FollowedSession
        /// The number of the state, and of the change that began the stay, and its time on the `UptimeClock`.
        let stay: SessionVisits.Stay

        /// Whether the session is still there and not stuck.
        var isPresent: Bool { !session.isStuck && session.visits.present == stay }
    }

    private var entries: [Entry] = []
    private var head = 0
    /// How many of the entries may be of sessions that have left.
    private static let slack = 64

    var count: Int { entries.count - head }
    var first: Entry? { head < entries.count ? entries[head] : nil }

    mutating func removeFirst() {
        guard head < entries.count else { return }
        head += 1
        if head > Self.slack, head > entries.count / 2 {
            entries.removeFirst(head)
            head = 0
        }
    }

    /// Adds a session. `present` is the number of sessions that are in the state.
    mutating func add(_ entry: Entry, present: Int) {
        if count > 2 * present + Self.slack {
            entries = entries[head...].filter(\.isPresent)
            head = 0
        }
        // Nearly always the last place: only an undo adds a stay that began earlier.
        var place = entries.count
        while place > head, entries[place - 1].stay.since > entry.stay.since { place -= 1 }
        entries.insert(entry, at: place)
    }
}
