internal import GameFlow
internal import JSON
internal import Timers

/// A session's last change in short: who was first. It keeps nothing else of the change alive.
public struct LastChange: Equatable, Sendable {
    /// `{"event":…,"args":{…},"source":{…},"seq":…,"atMs":…}`
    let json: [UInt8]

    public init(_ change: Change) {
        json = JSONWriter.bytes {
            $0.beginObject()
            $0.name("event")
            if let event = change.step.event { $0.string(event.name) } else { $0.null() }
            $0.name("args")
            $0.object(change.step.event?.arguments ?? [])
            $0.name("source")
            $0.json(change.step.source.json)
            $0.name("seq")
            $0.int(change.seq)
            $0.name("atMs")
            $0.int(Int(change.at.milliseconds))
            $0.endObject()
        }
    }
}
