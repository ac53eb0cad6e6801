public import Timers

/// What is written down of one change: the change itself, and the session after it. The newest one of a
/// session is all that it takes to go on with it.
public struct SessionRecord: Equatable, Sendable {
    public let session: SessionName
    public let seq: Int
    public let at: Instant
    /// JSON; `RecordReader` reads it.
    public let body: [UInt8]

    public init(session: SessionName, seq: Int, at: Instant, body: [UInt8]) {
        (self.session, self.seq) = (session, seq)
        (self.at, self.body) = (at, body)
    }
}
