public import GameFlow
public import Timers

/// A summary of a session's newest change, for a client whose event came too late.
///
/// It is also what is kept of the change when it leaves the ring of the newest changes. Most of a million sessions rest, so that
/// they need neither the states before and after the change nor its effects; the machine has the present state.
public final class LastChange: Equatable, Sendable {
    /// The event; nil if a command made the change.
    public let event: EventRecord?
    public let source: Source
    /// The number of the change within its session.
    public let seq: Int
    public let at: Instant
    let pos: Int
    let entry: Int
    let kind: Step.Kind

    public init(_ change: Change) {
        (event, source, kind) = (change.step.event, change.step.source, change.kind)
        (seq, pos, entry, at) = (change.seq, change.pos, change.entry, change.at)
    }

    /// The summary of `last` that other clients may see: with this event and source.
    package init(_ last: LastChange, event: EventRecord?, from source: Source) {
        (self.event, self.source, kind) = (event, source, last.kind)
        (seq, pos, entry, at) = (last.seq, last.pos, last.entry, last.at)
    }

    /// Whether both summaries look the same to a client.
    public static func == (a: LastChange, b: LastChange) -> Bool {
        a.seq == b.seq && a.at == b.at && a.event == b.event && a.source == b.source
    }

    /// The approximate number of bytes from clients that the value retains; 128 stands for its parts of fixed size.
    var weight: Int { 128 + (event?.weight ?? 0) }

    /// The summary as JSON: `{"event":…,"args":{…},"source":{…},"seq":…,"atMs":…}`
    public var value: Value {
        .object([
            Member("event", event.map { .string($0.name) } ?? .null),
            Member("args", .object(event?.arguments ?? [])), Member("source", source.value),
            Member("seq", seq), Member("atMs", Int(at.milliseconds)),
        ])
    }
}
