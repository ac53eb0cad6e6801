package import Parts
package import Timers

/// An event of a device, and when this process received it.
package struct ReceivedEvent {
    /// `content.age` is the age at `receivedAt`.
    package let content: SentEvent
    /// An instant of the loop's clock.
    package let receivedAt: Instant

    /// The event with its age at the instant `now`: the age grows while the event waits.
    package func content(at now: Instant) -> SentEvent {
        var content = content
        content.age += now - receivedAt
        return content
    }

    /// Whether the event is older than the limit of its source, or was received before `runsSince`.
    package func isTooOld(at now: Instant, _ runsSince: Instant) -> Bool {
        let age = content(at: now).age
        return receivedAt < runsSince || content.ageLimit.map { age > $0 } ?? false
    }
}
