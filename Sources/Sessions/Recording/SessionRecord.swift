public import Timers

/// What is written down of one change: the change itself, and the session after it. The newest one of a
/// session is all that it takes to go on with it.
///
/// All records of one call into the sessions belong together, on the disk too: what is deferred is offered
/// and what was posted is done within it, and a record in the middle does not know that.
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
