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
    }

    public let key: Key
    /// The number of the output among the outputs of its change, counted from 1. The output's id ends with this number.
    public let number: Int
    public let outcome: Outcome
    /// The session that requested an accepted output; nil for every other outcome.
    public let session: SessionName?

    public init(_ key: Key, number: Int, _ outcome: Outcome) {
        (self.key, self.number, self.outcome, session) = (key, number, outcome, nil)
    }

    /// Records the acceptance of an output that a session requested without a change, in the entry with the number
    /// `key.pos`.
    public init(_ key: Key, number: Int, acceptedFor session: SessionName) {
        (self.key, self.number, outcome, self.session) = (key, number, .accepted, session)
    }
}
