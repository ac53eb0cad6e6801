/// The outcome of an output. After a start, the daemon sends or gives up these outputs:
/// - the outputs whose newest outcome in the journal is `started` or `accepted`,
/// - the outputs that a change requested and that have no outcome in the journal.
public struct DeliveryRecord: Hashable, Sendable {
    /// Identifies an output: the change, the line of the configuration that requested the output, and the occasion in
    /// that change.
    public struct Key: Hashable, Sendable {
        /// The `pos` of the change; for an accepted output, the number of the session's entry.
        public let pos: Int
        /// A hash of the text of the configuration's line.
        public let line: UInt64
        /// The number of the occasion among the occasions of the same change and line, counted from 0.
        public let occasion: Int

        public init(pos: Int, line: UInt64, occasion: Int) {
            (self.pos, self.line, self.occasion) = (pos, line, occasion)
        }
    }

    /// What is known of an output. The journal contains the numbers of the cases; a number is never reused.
    public enum Outcome: Int, Sendable, CaseIterable {
        /// An output that may be sent only once is about to be sent. If the daemon ends before it records another outcome,
        /// the output is given up, because it may have arrived.
        case started = 1
        case delivered = 2
        /// The output is not tried any more.
        case givenUp = 3
        /// The output was not sent: outputs were off, the line was removed, or the receiver wants no more requests.
        case withheld = 4
        /// The output was requested without a change. After a start, the daemon therefore knows the output only from this
        /// record.
        case accepted = 5
        /// An operator has acknowledged the alert about the output, which was given up.
        case acknowledged = 6
    }

    /// What operators see of an output that was given up, until one of them acknowledges it.
    public struct Alert: Hashable, Sendable {
        /// The output's id, which is also the alert's.
        public let id: String
        /// The receiver of the output.
        public let target: String
        /// A sentence that says what was not sent.
        public let text: String
        /// The session that requested the output.
        public let session: SessionName

        public init(id: String, target: String, text: String, session: SessionName) {
            (self.id, self.target, self.text, self.session) = (id, target, text, session)
        }
    }

    public let key: Key
    /// The number of the output among the outputs of its change, counted from 1. The output's id ends with this number.
    public let number: Int
    public let outcome: Outcome
    /// The session that requested an accepted output; nil for every other outcome.
    public let session: SessionName?
    /// The alert about an output that was given up. Nil for other outcomes, and if operators get no alert about the output.
    public let alert: Alert?

    public init(_ key: Key, number: Int, _ outcome: Outcome) {
        (self.key, self.number, self.outcome) = (key, number, outcome)
        (session, alert) = (nil, nil)
    }

    /// Records that an output was given up, and that operators have an alert about it.
    public init(_ key: Key, number: Int, givenUpWith alert: Alert) {
        (self.key, self.number, outcome, self.alert) = (key, number, .givenUp, alert)
        session = nil
    }

    /// Records the acceptance of an output that a session requested without a change, in the entry with the number
    /// `key.pos`.
    public init(_ key: Key, number: Int, acceptedFor session: SessionName) {
        (self.key, self.number, outcome, self.session) = (key, number, .accepted, session)
        alert = nil
    }
}
