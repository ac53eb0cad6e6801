internal import GameFlow
public import Timers

/// A record of one event in the journal, as a value; the journal defines its encoding. A session can be
/// restored from its newest record alone.
///
/// All records of one call into the sessions are committed together. The call also handles deferred and posted
/// events, and a record in the middle of it does not include their results.
public struct SessionRecord: Equatable, Sendable {
    /// The kind of a record. The journal contains these numbers; a number is never reused for another kind.
    public enum Kind: Int, Sendable, CaseIterable {
        /// A change of a session.
        case change
        /// The effects of a step that are not changes and must not be repeated: a countdown that fired, or
        /// deferred events that were taken as beats.
        case rest
        /// A refused event.
        case refusal
        /// An action of the daemon itself, without a session.
        case daemon
        /// Rows of a closed session were erased.
        case forgotten
    }

    /// The record's session; nil for the daemon's own actions and for an erased session.
    public let session: SessionName?
    /// The number of the session's changes after the record.
    public let seq: Int
    public let at: Instant
    /// The number of the daemon's changes at that time; for a change, its own number.
    public let pos: Int
    /// The id of the request that caused the record, and the number of the session's requests with an id,
    /// including it.
    public let id: String?
    public let idNumber: Int
    /// The record's position in the journal, after it was written.
    public let position: Int?
    /// The content of the record.
    public let body: Body

    /// The value of `seq` in a record of the daemon's start. Such a row is retained while there are older
    /// sessions, because their timers depend on it.
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

    /// The session after the record; nil if the record does not contain it.
    public var status: Status? {
        switch body {
        case .change(let change): change.status
        case .rest(let rest): rest.status
        case .refusal, .start, .advance, .givenUp, .forgotten: nil
        }
    }

    /// The session's newest change at that time.
    public var step: RecordedStep? {
        switch body {
        case .change(let change): change.did
        case .rest(let rest): rest.last
        case .refusal, .start, .advance, .givenUp, .forgotten: nil
        }
    }

    /// Whether the session is closed after the record.
    var isClosing: Bool {
        switch body {
        case .change(let change): change.did.step.kind == .close
        case .rest(let rest): rest.last.step.kind == .close
        case .refusal, .start, .advance, .givenUp, .forgotten: false
        }
    }

    /// Whether the record was not requested but followed from the change before it.
    public var follows: Bool {
        switch body {
        case .change(let change): change.follows
        case .rest(let rest): rest.follows
        case .refusal, .start, .advance, .givenUp, .forgotten: false
        }
    }

    /// Returns whether a repetition of the same calls has produced this record. Ignores positions and values
    /// that only one of the records contains. Of the timers' numbers it compares only the order, because other
    /// sessions and undone changes may have set further timers.
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
