/// What became of an output that a change asked for. A start of the daemon sends again what has no such record.
public struct DeliveryRecord: Hashable, Sendable {
    /// Identifies an output: the line of the configuration that asked for it, and for which of the change's effects.
    public struct Key: Hashable, Sendable {
        /// The number of the change within the daemon.
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
    }

    public let key: Key
    /// The number of the output among those of its change, from 1; the end of its id.
    public let number: Int
    public let outcome: Outcome

    public init(_ key: Key, number: Int, _ outcome: Outcome) {
        (self.key, self.number, self.outcome) = (key, number, outcome)
    }
}
