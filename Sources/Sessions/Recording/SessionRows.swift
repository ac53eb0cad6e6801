public import Timers

/// What must be known of the timers of a session that is not decoded yet.
public struct TimerBounds: Sendable {
    /// No timer fires before this instant; nil if no timer runs.
    public let deadline: Instant?
    /// The highest number of the timers in the order in which timers were set; 0 if no timer runs.
    public let order: UInt64

    public init(deadline: Instant?, order: UInt64) {
        (self.deadline, self.order) = (deadline, order)
    }
}

/// The newest rows of the sessions of a journal, also of the closed ones. The sessions have numbers from 0. A row is decoded only
/// when it is taken, because a million decoded records would take a gigabyte. Taking a row releases its memory. The row is the
/// session's newest one with the whole state; its checkpoint says where the session's other rows are.
public protocol SessionRows: AnyObject {
    /// The number of sessions.
    var count: Int { get }

    /// Reads the sessions in the order of their rows. Calls `mayWait` with the bounds of each session that can be decoded later;
    /// if it returns true, the session is left, and can be taken later by its number and name. Otherwise, calls `process` with the session, or
    /// `unreadable` if its row cannot be read. Must be called only once.
    func forEach(
        leaving mayWait: (_ number: Int, SessionName, TimerBounds) -> Bool,
        _ process: (borrowing SessionRecord, Checkpoint) -> Void,
        unreadable: (Sessions.QuarantineError) -> Void)

    /// Returns the number of the session with this name; nil if the journal has no such session.
    func number(of name: SessionName) -> Int?

    /// The name of a session that was left.
    func name(of number: Int) -> SessionName

    /// The name of the flow of a session that was left; nil if only decoding can tell.
    func flow(of number: Int) -> String?

    /// Decodes a session that was left. Must be called only once for each session.
    func take(_ number: Int, _ name: SessionName) throws(Sessions.QuarantineError)
        -> (SessionRecord, Checkpoint)
}

extension SessionRows {
    /// Reads all sessions; see `forEach(leaving:_:unreadable:)`.
    public func forEach(
        _ process: (borrowing SessionRecord, Checkpoint) -> Void,
        unreadable: (Sessions.QuarantineError) -> Void
    ) {
        forEach(leaving: { _, _, _ in false }, process, unreadable: unreadable)
    }
}

/// The rows of a journal without sessions.
public final class NoSessionRows: SessionRows {
    public var count: Int { 0 }

    public init() {}

    public func forEach(
        leaving mayWait: (_ number: Int, SessionName, TimerBounds) -> Bool,
        _ process: (borrowing SessionRecord, Checkpoint) -> Void,
        unreadable: (Sessions.QuarantineError) -> Void
    ) {}

    public func number(of name: SessionName) -> Int? { nil }

    public func name(of number: Int) -> SessionName { preconditionFailure("there is no session") }

    public func flow(of number: Int) -> String? { nil }

    public func take(_ number: Int, _ name: SessionName) throws(Sessions.QuarantineError)
        -> (SessionRecord, Checkpoint)
    {
        preconditionFailure("there is no session")
    }
}
