/// The outcome of an output. A start of the daemon sends again the outputs of changes that have no such record, and those
/// that were accepted and have no later one.
public struct DeliveryRecord: Hashable, Sendable {
    /// Identifies an output: the line of the configuration that asked for it, and for which of the change's effects.
    public struct Key: Hashable, Sendable {
        /// The number of the change within the daemon; for an accepted output, that of the session's entry.
        public let pos: Int
        /// A number of the line's text.
        public let line: UInt64
        /// Counts the occasions of one change for one line, from 0.
        public let occasion: Int

        public init(pos: Int, line: UInt64, occasion: Int) {
            (self.pos, self.line, self.occasion) = (pos, line, occasion)
        }
    }

    /// The journal contains these numbers; a number is never reused.
    public enum Outcome: Int, Sendable, CaseIterable {
        /// It is about to be sent, and is never sent again.
        case started = 1
        case delivered = 2
        /// It is not tried any more.
        case givenUp = 3
        /// Outputs were off.
        case withheld = 4
        /// No change asks for it, so that a start of the daemon knows of it only from this record.
        case accepted = 5
    }

    public let key: Key
    /// The number of the output among those of its change, from 1; the end of its id.
    public let number: Int
    public let outcome: Outcome
    /// The session that asks for an accepted output; nil with every other outcome.
    public let session: SessionName?

    public init(_ key: Key, number: Int, _ outcome: Outcome) {
        (self.key, self.number, self.outcome, session) = (key, number, outcome, nil)
    }

    /// An output that a session asks for without a change, in the entry that `key.pos` names.
    public init(_ key: Key, number: Int, acceptedFor session: SessionName) {
        (self.key, self.number, outcome, self.session) = (key, number, .accepted, session)
    }
}
