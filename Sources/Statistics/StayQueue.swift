internal import Sessions

/// A session that `StuckDetector` follows, until it is closed.
final class FollowedSession {
    let name: SessionName
    var visits = SessionVisits()
    var isStuck = false

    init(_ name: SessionName) { self.name = name }
}

/// The sessions that are in one state, in the order in which their stays began.
///
/// The same time limit applies to all stays in a state, so the session at the front always exceeds it first. An entry is
/// outdated when its session has left the state. Outdated entries are removed when they come to the front, or when there are
/// too many.
struct StayQueue {
    struct QueuedStay {
        let session: FollowedSession
        /// The session's stay in the state when it was added to the queue.
        let stay: SessionVisits.Stay

        /// Whether the session is still in that stay, and was not found to be stuck.
        var isPresent: Bool { !session.isStuck && session.visits.present == stay }
    }

    private var entries: [QueuedStay] = []
    /// The index of the first entry; the entries before it were removed.
    private var head = 0
    /// So many superfluous entries are always tolerated, so that a short queue is never compacted.
    private static let slack = 64

    var count: Int { entries.count - head }
    var first: QueuedStay? { head < entries.count ? entries[head] : nil }

    mutating func removeFirst() {
        guard head < entries.count else { return }
        head += 1
        if head > Self.slack, head > entries.count / 2 {
            entries.removeFirst(head)
            head = 0
        }
    }

    mutating func add(_ entry: QueuedStay, sessionsInState: Int) {
        if count > 2 * sessionsInState + Self.slack {
            entries = entries[head...].filter(\.isPresent)
            head = 0
        }
        // Usually the entry belongs at the end: only an undo adds a stay that began earlier.
        var index = entries.count
        while index > head, entries[index - 1].stay.since > entry.stay.since { index -= 1 }
        entries.insert(entry, at: index)
    }
}
