internal import GameFlow
public import Timers

/// What is written down of one thing that happened, as a value; how it is written is the journal's business.
/// The newest record of a session is all that is needed to go on with it.
///
/// All records of one call into the sessions belong together, on the disk too: what is deferred is offered
/// and what was posted is done within it, and a record in the middle does not know that.
public struct SessionRecord: Equatable, Sendable {
    /// What a record is. The journal has these numbers: one is never given to another kind.
    public enum Kind: Int, Sendable, CaseIterable {
        /// A change.
        case change
        /// What a step did besides its changes and must not be done again: a countdown that fired, deferred events
        /// that were taken, as beats.
        case rest
        /// An event that was refused.
        case refusal
        /// A deed of the daemon itself, of no session.
        case daemon
        /// Rows of a session that is over were erased.
        case forgotten
    }

    /// Nil of the daemon's own deeds, and where a session was erased.
    public let session: SessionName?
    /// The session's number of changes after it.
    public let seq: Int
    public let at: Instant
    /// How many changes the daemon had made by then; of a change, its own number.
    public let pos: Int
    /// The id of the request that led to it, and how many its session had with it.
    public let id: String?
    public let idNumber: Int
    /// Its position among the rows, once it has one.
    public let position: Int?
    /// What happened.
    public let body: Body

    /// The number that a start of the daemon has in the place of a session's: as long as a session is older,
    /// its timers depend on it, and so it is kept.
    public static let startSeq = 1

    public init(
        _ body: Body, session: SessionName?, seq: Int, at: Instant, pos: Int, id: String? = nil,
        idNumber: Int = 0, position: Int? = nil
    ) {
        (self.body, self.session, self.seq, self.at) = (body, session, seq, at)
        (self.pos, self.id, self.idNumber, self.position) = (pos, id, idNumber, position)
    }

    public var kind: Kind {
        switch body {
        case .change, .givenUp: .change
        case .rest: .rest
        case .refusal: .refusal
        case .start, .advance: .daemon
        case .forgotten: .forgotten
        }
    }

    /// The session after it; nil where it says nothing of that.
    public var status: Status? {
        switch body {
        case .change(let change): change.status
        case .rest(let rest): rest.status
        case .refusal, .start, .advance, .givenUp, .forgotten: nil
        }
    }

    /// The newest change by then.
    public var step: RecordedStep? {
        switch body {
        case .change(let change): change.did
        case .rest(let rest): rest.last
        case .refusal, .start, .advance, .givenUp, .forgotten: nil
        }
    }

    /// Whether the session is over after it.
    var isClosing: Bool {
        switch body {
        case .change(let change): change.did.step.kind == .close
        case .rest(let rest): rest.last.step.kind == .close
        case .refusal, .start, .advance, .givenUp, .forgotten: false
        }
    }

    /// Whether it was not asked for, but came of the change before it.
    public var follows: Bool {
        switch body {
        case .change(let change): change.follows
        case .rest(let rest): rest.follows
        case .refusal, .start, .advance, .givenUp, .forgotten: false
        }
    }

    /// Whether another run of the same has given this record. Positions do not count, and of the timers' numbers
    /// only their order: however many timers were set meanwhile in other sessions, or for changes that were
    /// taken back. What only one of both knows does not count either.
    public func isRepeated(by other: SessionRecord) -> Bool {
        comparable(with: other.status) == other.comparable(with: status)
    }

    private func comparable(with other: Status?) -> SessionRecord {
        let body: Body =
            switch self.body {
            case .change(let change): .change(change.with(change.status.comparable(with: other)))
            case .rest(let rest): .rest(rest.with(rest.status.comparable(with: other)))
            case .refusal, .start, .advance, .givenUp, .forgotten: self.body
            }
        return SessionRecord(body, session: session, seq: seq, at: at, pos: pos, id: id)
    }
}
