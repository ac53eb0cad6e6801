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
/// The same time limit applies to all stays in a state, so the session at the front always exceeds it first. A queued
/// stay is outdated when its session has left the state. Outdated stays are removed when they come to the front, or when there
/// are too many.
struct StayQueue {
    struct QueuedStay {
        let session: FollowedSession
        /// The session's stay in the state when it was added to the queue.
        let stay: SessionVisits.Stay

        /// Whether the session is still in that stay, and was not found to be stuck.
        var isPresent: Bool { !session.isStuck && session.visits.present == stay }
    }

    private var stays: [QueuedStay] = []
    /// The index in `stays` of the first queued stay; the elements before this index were removed from the queue.
    private var head = 0
    /// The array may always contain this many outdated or removed stays, so that a short queue is never compacted.
    private static let slack = 64

    var count: Int { stays.count - head }
    var first: QueuedStay? { head < stays.count ? stays[head] : nil }

    mutating func removeFirst() {
        guard head < stays.count else { return }
        head += 1
        if head > Self.slack, head > stays.count / 2 {
            stays.removeFirst(head)
            head = 0
        }
    }

    mutating func add(_ new: QueuedStay, sessionsInState: Int) {
        if count > 2 * sessionsInState + Self.slack {
            stays = stays[head...].filter(\.isPresent)
            head = 0
        }
        // Usually the new stay belongs at the end: only an undo adds a stay that began earlier.
        var index = stays.count
        while index > head, stays[index - 1].stay.since > new.stay.since { index -= 1 }
        stays.insert(new, at: index)
    }
}
