internal import GameFlow
public import Sessions
public import Timers

/// The alerts, as the method `alerts` shows and acknowledges them.
public protocol AlertRegistry: AnyObject {
    /// All alerts, in the order in which they began.
    var alerts: [Alert] { get }
    /// Acknowledges an alert. An alert about an output ends; another alert stays until its cause ends.
    func acknowledge(_ id: String)
}

/// Something that does not work, and that an operator should know of.
public struct Alert: Equatable, Sendable {
    public enum Kind: String, CaseIterable, Sendable {
        /// A connection of the room is down, or cannot be used as configured.
        case connection
        /// A device, or the controller of devices, is out of reach.
        case source
        /// An output was given up.
        case output
        /// The journal cannot be written.
        case storage
        /// The clocks of two machines differ.
        case clock
        /// Sessions have no owner.
        case shard
    }

    public let id: String
    public let kind: Kind
    /// The name of what does not work, such as a connection.
    public let name: String
    /// A sentence that says what is not done.
    public package(set) var text: String
    /// The beginning, on the sessions' clock.
    public let since: Instant
    /// The session that the alert is about; nil if it is about more than one.
    public let session: SessionName?
    /// Whether the alert ends when it is acknowledged, and not with its cause.
    public let endsWhenAcknowledged: Bool
    public package(set) var isAcknowledged = false

    public init(
        id: String, _ kind: Kind, _ name: String, _ text: String, since: Instant,
        session: SessionName?, endsWhenAcknowledged: Bool
    ) {
        (self.id, self.kind, self.name, self.text) = (id, kind, name, text)
        (self.since, self.session) = (since, session)
        self.endsWhenAcknowledged = endsWhenAcknowledged
    }

    /// The alert as it is shown to operators.
    var value: Value {
        .object(
            [
                Member("id", id), Member("kind", kind.rawValue), Member("name", name),
                Member("text", text), Member("sinceMs", Int(since.milliseconds)),
            ] + (session.map { [Member("session", $0.text)] } ?? [])
                + [Member("acked", .bool(isAcknowledged))])
    }
}
