public import GameFlow
public import Timers

/// A session's last change in short: who was first. It keeps nothing else of the change alive.
public struct LastChange: Sendable {
    public let event: Happening?
    public let source: Source
    public let seq: Int
    public let at: Instant

    init(_ change: Change) {
        (event, source) = (change.step.event, change.step.source)
        (seq, at) = (change.seq, change.at)
    }
}
