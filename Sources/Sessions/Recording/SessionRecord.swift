public import Timers

/// What is written down of one change: the change itself, and the session after it. The newest one of a
/// session is all that it takes to go on with it.
///
/// All records of one call into the sessions belong together, on the disk too: what is deferred is offered
/// and what was posted is done within it, and a record in the middle does not know that.
public struct SessionRecord: Equatable, Sendable {
    /// What a record is.
    public enum Kind: Sendable, CaseIterable {
        /// A change.
        case change
        /// What a step did besides its changes and must not be done again: a countdown that fired, deferred events
        /// that were taken, as beats.
        case rest
        /// An event that was refused.
        case refusal
        /// A deed of the daemon itself, of no session.
        case daemon
    }

    public let kind: Kind
    /// Nil of the daemon's own deeds.
    public let session: SessionName?
    public let seq: Int
    public let at: Instant
    /// The id of the request that led to it, and how many its session had with it.
    public let id: String?
    public let idNumber: Int
    /// Where it stands among the rows, once it does.
    public let position: Int?
    /// JSON; `RecordReader` reads it.
    public let body: [UInt8]

    /// The number that a start of the daemon has in the place of a session's: as long as a session is older,
    /// its timers depend on it, and so it is kept.
    public static let startSeq = 1

    /// The last member of a record's body: in which order the timers were set.
    static let ordersMember: StaticString = ",\"orders\":"

    /// The body with the timers' orders counted from 0: two runs of the same write the same, however many
    /// timers were set meanwhile in other sessions, or for changes that were taken back.
    public var comparable: [UInt8] {
        let mark = Array(Self.ordersMember.description.utf8)
        guard body.last == UInt8(ascii: "}"),
            let start = body.lastRange(of: mark)
        else { return body }
        let text = String(decoding: body[start.upperBound...], as: UTF8.self)
        let orders = text.split { !("0"..."9").contains($0) }.compactMap { UInt64($0) }
        let ranks = orders.map { order in orders.count { $0 < order } }
        return body[..<start.lowerBound] + Array("\(ranks)".utf8)
    }

    /// How many changes the daemon had made by then; nil if it cannot be read.
    public var pos: Int? {
        guard let body = try? Fields(body) else { return nil }
        return try? body.count("pos")
    }

    public init(
        _ kind: Kind = .change, session: SessionName?, seq: Int, at: Instant, id: String? = nil,
        idNumber: Int = 0, position: Int? = nil, body: [UInt8]
    ) {
        (self.kind, self.session, self.seq, self.at) = (kind, session, seq, at)
        (self.id, self.idNumber, self.position, self.body) = (id, idNumber, position, body)
    }
}

extension [UInt8] {
    /// Where a piece stands last.
    fileprivate func lastRange(of piece: [UInt8]) -> Range<Int>? {
        guard count >= piece.count else { return nil }
        var start = count - piece.count
        while start >= 0 {
            if self[start..<start + piece.count].elementsEqual(piece) {
                return start..<start + piece.count
            }
            start -= 1
        }
        return nil
    }
}
