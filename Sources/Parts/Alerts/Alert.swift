package import GameFlow
package import Sessions
package import Timers

/// Something that does not work, and that an operator should know of.
package struct Alert: Equatable, Sendable {
    package enum Kind: String, CaseIterable {
        /// A connection of the room is down, or cannot be used as configured.
        case connection
        /// A device, or the controller of devices, is out of reach.
        case source
        /// A device has sent nothing for the time that its line gives.
        case quiet
        /// An output was given up.
        case output
        /// The screens of a session show no code with which people can join.
        case invitation
        /// The journal cannot be written.
        case storage
        /// A certificate of this daemon ends soon, or has ended.
        case certificate
        /// A picture, a sound or a video that a flow shows does not exist.
        case media
        /// The clocks of two machines differ.
        case clock
        /// Sessions have no owner.
        case shard
    }

    package let id: String
    package let kind: Kind
    /// The name of what does not work, such as a connection.
    package let name: String
    /// A sentence that says what is not done.
    package var text: String
    /// The beginning, on the sessions' clock.
    package let since: Instant
    /// The session that the alert is about; nil if it is about more than one.
    package let session: SessionName?
    /// Whether the alert ends when it is acknowledged, and not with its cause.
    package let endsWhenAcknowledged: Bool
    package var isAcknowledged = false

    package init(
        id: String, _ kind: Kind, _ name: String, _ text: String, since: Instant,
        session: SessionName?, endsWhenAcknowledged: Bool
    ) {
        (self.id, self.kind, self.name, self.text) = (id, kind, name, text)
        (self.since, self.session) = (since, session)
        self.endsWhenAcknowledged = endsWhenAcknowledged
    }

    /// The alert as it is shown to operators.
    package var value: Value {
        .object(
            [
                Member("id", id), Member("kind", kind.rawValue), Member("name", name),
                Member("text", text), Member("sinceMs", Int(since.milliseconds)),
            ] + (session.map { [Member("session", $0.text)] } ?? [])
                + [Member("acked", .bool(isAcknowledged))])
    }
}
