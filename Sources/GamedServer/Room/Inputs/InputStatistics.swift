import GameFlow
import Support
import Timers

/// Counts of the inputs of one connection.
struct InputStatistics {
    /// The numbers of events that sessions accepted and refused.
    var (taken, refused) = (0, 0)
    /// The number of events that were dropped as bounces or because of a limit.
    var dropped = 0
    /// The number of inputs that no line matched, and the last ones.
    private(set) var unmatched = 0
    private(set) var lastUnmatched = Deque<Unmatched>()
    /// Why the last event was refused.
    var lastRefusal: String?
    var lastEvent: SourceEvent?

    /// The number of unmatched inputs that are kept.
    static let unmatchedKept = 16
    /// The number of characters that are kept of an input.
    static let textKept = 200

    /// An input that no line matched.
    struct Unmatched {
        let device: String
        let text: String
        let at: Instant
    }

    mutating func miss(_ device: String, _ text: String, at now: Instant) {
        unmatched += 1
        lastUnmatched.append(
            Unmatched(
                device: String(device.prefix(Self.textKept)),
                text: String(text.prefix(Self.textKept)), at: now))
        if lastUnmatched.count > Self.unmatchedKept { _ = lastUnmatched.removeFirst() }
    }

    /// The last unmatched inputs, the newest first.
    func unmatchedValues(at now: Instant) -> [Value] {
        var rest = lastUnmatched
        var values: [Value] = []
        while let last = rest.removeLast() {
            values.append(
                .object([
                    Member("device", last.device), Member("input", last.text),
                    Member("agoMs", Int((now - last.at).milliseconds)),
                ]))
        }
        return values
    }
}

/// The limits of one `map` line: debounce by peer, and events a second.
struct InputLineLimits {
    /// The number of peers whose last event is remembered; beyond it all are forgotten.
    static let peers = 1024

    private var acceptedAt: [String: Instant] = [:]
    private var (second, inSecond) = (Instant.zero, 0)

    /// Whether the line may send another event.
    mutating func allows(_ peer: String, at now: Instant, debounce: Duration, limit: Int) -> Bool {
        if debounce > .zero, let last = acceptedAt[peer], now - last < debounce { return false }
        if now - second >= .seconds(1) { (second, inSecond) = (now, 0) }
        guard limit == 0 || inSecond < limit else { return false }
        inSecond += 1
        guard debounce > .zero else { return true }
        if acceptedAt.count >= Self.peers { acceptedAt = [:] }
        acceptedAt[peer] = now
        return true
    }
}
