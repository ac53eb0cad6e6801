public import GameFlow
public import Timers

/// One thing that watchers are told, as values.
public final class Notification {
    public enum Content {
        case change(Change)
        case beat(Beat)
        case refused(RefusedEvent)
        case gap(Gap)
    }

    public let content: Content
    /// The newest row of what it shows: it may be shown once that row is durable. 0 if it waits for none.
    public let row: Int

    public init(_ content: Content, row: Int = 0) { (self.content, self.row) = (content, row) }

    /// The session that it is about; nil if it is about all.
    public var session: SessionName? {
        switch content {
        case .change(let change): change.session
        case .beat(let beat): beat.session
        case .refused(let refused): refused.session
        case .gap(let gap):
            switch gap.present {
            case .session(let status): status.name
            case .all: nil
            }
        }
    }

    /// The position of what it shows, if a watcher that has it has everything up to there.
    public var pos: Int? {
        switch content {
        case .change(let change): change.pos
        case .gap(let gap): gap.pos
        case .beat, .refused: nil
        }
    }
}

/// A pendulum beat, or an event that was kept without a change of data: it shows time alone, and has no number.
public struct Beat {
    public let session: SessionName
    public let entry: Int
    public let step: Step
    /// The session's timers at that instant.
    public let timers: [LiveTimer]
    public let at: Instant

    init(_ change: Change, _ timers: [LiveTimer]) {
        (session, entry, step) = (change.session, change.entry, change.step)
        (self.timers, at) = (timers, change.at)
    }
}

/// The present, in the place of changes that a watcher missed and that are not remembered any more.
public struct Gap {
    public enum Present {
        case session(SessionStatus)
        case all(SessionPage)
    }

    /// The number after which changes are missing: a `seq` of a session, a `pos` of all.
    public let since: Int
    /// The position of the newest change.
    public let pos: Int
    public let present: Present
}
