package import Inputs
import Support
package import Timers

/// The messages that gamed has published on one MQTT connection a short time ago. A message that comes back continues the chain of
/// the step that published it, so that an `on` line and a `map` line that answer each other do not do so for ever.
package struct PublishedMessages {
    /// How long a message is remembered.
    package static let lifetime = Duration.seconds(10)
    /// The maximum number of messages that are remembered. Beyond it, the oldest is forgotten.
    package static let limit = 4096

    /// The origin of the newest message with each hash of topic and payload.
    private var origins: [Int: (origin: InputOrigin, publishedAt: Instant)] = [:]
    /// The hashes of the messages, in the order in which they were published.
    private var order = Deque<(hash: Int, at: Instant)>()

    package mutating func add(_ message: MQTTMessage, _ origin: InputOrigin, at now: Instant) {
        forget(before: now)
        if order.count >= Self.limit { forgetOldest() }
        let hash = Self.hash(message)
        origins[hash] = (origin, now)
        order.append((hash, now))
    }

    /// The origin of a message with this topic and payload; nil if gamed has not published one a short time ago.
    package mutating func origin(of message: MQTTMessage, at now: Instant) -> InputOrigin? {
        guard !origins.isEmpty else { return nil }
        forget(before: now)
        return origins[Self.hash(message)]?.origin
    }

    private static func hash(_ message: MQTTMessage) -> Int {
        var hasher = Hasher()
        hasher.combine(bytesOf: message.topic)
        hasher.combine(message.payload)
        return hasher.finalize()
    }

    private mutating func forget(before now: Instant) {
        while let oldest = order.first, now - oldest.at >= Self.lifetime { forgetOldest() }
    }

    private mutating func forgetOldest() {
        guard let oldest = order.removeFirst() else { return }
        // The same message may have been published again.
        if origins[oldest.hash]?.publishedAt == oldest.at { origins[oldest.hash] = nil }
    }
}
