public import GameFlow
public import Timers

/// A notification to watchers, before it is encoded. All watchers share one object.
public final class Notification {
    /// What the notification is about.
    public enum Content {
        case change(Change)
        /// A beat: one firing of a pendulum, or another event, that changed neither state nor data and requested no effects. The
        /// change describes it, and has no number of its own. The timers are those of the session at that instant.
        case beat(Change, [LiveTimer])
        case refused(RefusedEvent)
        case gap(Gap)
        case input(UnmatchedInput)
        case stuck(StuckSession)
    }

    public let content: Content
    /// The position of the newest journal row whose change the content shows. The notification may be sent when that row is
    /// durable; 0 means immediately.
    public let row: Int

    /// Whether only those may see it who may operate the session, or all sessions. Stored, because every watcher asks.
    public let isForOperators: Bool

    /// The session that decides which view a watcher has of the content. Nil if no single session decides: a gap can show
    /// several sessions, and only operators see an input or a session that is stuck. Stored for the same reason.
    public let viewedSession: SessionName?

    public init(_ content: Content, row: Int = 0) {
        (isForOperators, viewedSession) =
            switch content {
            case .change(let change): (false, change.session)
            case .beat(let beat, _): (false, beat.session)
            case .refused(let refused): (false, refused.session)
            case .gap: (false, nil)
            case .input, .stuck: (true, nil)
            }
        (self.content, self.row) = (content, row)
    }

    /// The session that the content is about; nil if it is about all sessions.
    public var session: SessionName? {
        switch content {
        case .change(let change): change.session
        case .beat(let beat, _): beat.session
        case .refused(let refused): refused.session
        case .gap(let gap):
            switch gap.present {
            case .session(let status): status.name
            case .all: nil
            }
        case .input: nil
        case .stuck(let stuck): stuck.session
        }
    }

    /// After this notification a watcher has received all changes up to this `pos`. Nil if the content does not determine a
    /// `pos`.
    public var pos: Int? {
        switch content {
        case .change(let change): change.pos
        case .gap(let gap): gap.pos
        case .beat, .refused, .input, .stuck: nil
        }
    }
}

/// A session that stays in its state longer than usual.
public struct StuckSession: Equatable, Sendable {
    public let session: SessionName
    /// The number of the session's present entry.
    public let entry: Int
    /// The name of the state.
    public let state: String
    /// When the session was found to be stuck.
    public let at: Instant
}

/// An input that a device has sent and that no line of the configuration matches.
public struct UnmatchedInput: Equatable, Sendable {
    /// The name of the connection to the device, as its line of the configuration declares it.
    public let source: String
    /// The kind of the connection, such as `mqtt`.
    public let kind: String
    /// The sender within the connection: a topic, an address, or the name of the connection or the device.
    public let device: String
    /// The input as text; a long input is shortened.
    public let text: String
    public let at: Instant

    public init(source: String, kind: String, device: String, text: String, at: Instant) {
        (self.source, self.kind, self.device) = (source, kind, device)
        (self.text, self.at) = (text, at)
    }
}

/// The present state of the sessions, sent in place of missed changes that are no longer remembered.
public struct Gap {
    /// The present state of the watched session, or of all sessions if the watcher watches all.
    public enum Present {
        case session(SessionStatus)
        case all(SessionPage)
    }

    /// The number after which changes are missing: a `seq` for one session, a `pos` for all sessions.
    public let since: Int
    /// The `pos` of the newest change.
    public let pos: Int
    public let present: Present
}
