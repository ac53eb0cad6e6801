import GameFlow
import Parts
import Support
package import Timers

/// Counts of the inputs of one connection. All times are on the clock of the event loop.
package struct InputStatistics {
    /// The numbers of events that sessions accepted and refused.
    package var (accepted, refused) = (0, 0)
    /// The number of events that were not sent, because of the debounce time or a limit.
    package var dropped = 0
    /// The number of inputs whose id a session had taken before.
    package var repeated = 0
    /// The number of inputs that no `map` line matched.
    private(set) var unmatched = 0
    /// The most recent inputs that no `map` line matched, from the oldest to the newest.
    private(set) var lastUnmatched = Deque<Unmatched>()
    /// Why the most recent refused event was refused.
    var lastRefusal: String?
    /// The most recent event that was accepted or refused.
    var lastEvent: SourceEvent?

    /// The maximum length of `lastUnmatched`.
    static let unmatchedLimit = 16
    /// The maximum length of two stored texts, in characters: the text of an input, and the name of the input's device.
    static let textLimit = 200

    /// An input that no `map` line matched.
    package struct Unmatched {
        /// The sender: an MQTT topic, the address of an OSC sender, the name of a serial connection, or an evdev device.
        package let device: String
        /// The input, as operators see it.
        package let text: String
        package let at: Instant
    }

    mutating func recordUnmatched(_ device: String, _ text: String, at now: Instant) {
        unmatched += 1
        lastUnmatched.append(
            Unmatched(
                device: String(device.prefix(Self.textLimit)),
                text: String(text.prefix(Self.textLimit)), at: now))
        if lastUnmatched.count > Self.unmatchedLimit { _ = lastUnmatched.removeFirst() }
    }

    /// The inputs in `lastUnmatched` as JSON objects, from the newest to the oldest.
    func unmatchedValues(at now: Instant) -> [Value] {
        var remaining = lastUnmatched
        var values: [Value] = []
        while let last = remaining.removeLast() {
            values.append(
                .object([
                    Member("device", last.device), Member("input", last.text),
                    Member("agoMs", Int((now - last.at).milliseconds)),
                ]))
        }
        return values
    }
}

/// Applies the two limits of one `map` line: the debounce time of each peer, and the number of events per second.
package struct InputLineLimits {
    /// The maximum number of peers in `lastEventTimes`. When this number is reached, the next event removes all peers.
    static let peerLimit = 1024

    /// The time of the most recent event of each peer; empty if the line has no debounce time.
    private var lastEventTimes: [ByteText: Instant] = [:]
    /// The start of the present second, and the number of events that were allowed in this second.
    private var (secondStart, eventsInSecond) = (Instant.zero, 0)

    /// Whether a line may send an event.
    package enum Decision {
        case allowed
        /// The debounce time of the peer is not over.
        case bounced
        /// The line has sent as many events in this second as the limit allows.
        case limited
    }

    /// Decides whether the line may now send an event for an input of the sender `peer`. If it may, the event is counted.
    /// `limit` is the maximum number of events per second; 0 means no limit.
    package mutating func decide(_ peer: String, at now: Instant, debounce: Duration, limit: Int)
        -> Decision
    {
        if debounce > .zero, let last = lastEventTimes[ByteText(peer)], now - last < debounce {
            return .bounced
        }
        if now - secondStart >= .seconds(1) { (secondStart, eventsInSecond) = (now, 0) }
        guard limit == 0 || eventsInSecond < limit else { return .limited }
        eventsInSecond += 1
        guard debounce > .zero else { return .allowed }
        if lastEventTimes.count >= Self.peerLimit { lastEventTimes = [:] }
        lastEventTimes[ByteText(peer)] = now
        return .allowed
    }
}
