public import GameFlow
public import Timers

/// A summary of a session's last change, for a client whose event came too late. It retains no other part of
/// the change.
public struct LastChange: Equatable, Sendable {
    /// The event; nil for an order.
    public let event: EventRecord?
    public let source: Source
    public let seq: Int
    public let at: Instant

    public init(event: EventRecord?, source: Source, seq: Int, at: Instant) {
        (self.event, self.source, self.seq, self.at) = (event, source, seq, at)
    }

    public init(_ change: Change) {
        self.init(
            event: change.step.event, source: change.step.source, seq: change.seq, at: change.at)
    }

    /// The approximate number of bytes from clients that the value retains.
    var weight: Int { 128 + (event?.weight ?? 0) }
}

extension LastChange {
    /// `{"event":…,"args":{…},"source":{…},"seq":…,"atMs":…}`
    public var value: Value {
        .object([
            Member("event", event.map { .string($0.name) } ?? .null),
            Member("args", .object(event?.arguments ?? [])), Member("source", source.value),
            Member("seq", seq), Member("atMs", Int(at.milliseconds)),
        ])
    }
}
