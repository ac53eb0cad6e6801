internal import GameFlow
public import JSON
internal import Timers

/// A session's last change in short: who was first. It keeps nothing else of the change alive.
public struct LastChange: Equatable, Sendable {
    private let event: Happening?
    private let source: Source
    private let seq: Int
    private let at: Instant

    public init(_ change: Change) {
        (event, source) = (change.step.event, change.step.source)
        (seq, at) = (change.seq, change.at)
    }

    /// `{"event":…,"args":{…},"source":{…},"seq":…,"atMs":…}`
    public var value: Value {
        .object([
            Member("event", event.map { .string($0.name) } ?? .null),
            Member("args", .object(event?.arguments ?? [])), Member("source", source.value),
            Member("seq", seq), Member("atMs", Int(at.milliseconds)),
        ])
    }

    /// The same as JSON.
    var json: [UInt8] { JSONWriter.bytes { $0.value(value) } }

    public static func == (a: LastChange, b: LastChange) -> Bool { a.value == b.value }
}
