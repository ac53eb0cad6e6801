public import Sessions
internal import Support
public import Timers

/// How one session goes with another flow, held against how it went.
public final class SessionTrace {
    /// Where it goes differently first.
    public struct Difference {
        /// The row that is not what it was; nil behind the last one.
        public let position: Int?
        public let at: Instant
        public let why: Why
        /// What happened then, and what does now, as far as there is something.
        public let then: SessionRecord?
        public let now: SessionRecord?
    }

    public enum Why: Equatable, Sendable {
        /// What happened then does not.
        case missing
        /// Something happens where nothing did.
        case extra
        case otherwise
        /// What was taken then is refused by the error of that name, or the other way round.
        case refused(String)
        case taken(String)
        /// After a restart it cannot be taken up again.
        case quarantined(String)
    }

    public let session: SessionName
    /// Whether it was the session of that name that was opened first, second, …
    public let opening: Int
    /// How many changes came about as they did.
    public private(set) var changes = 0
    public private(set) var difference: Difference?
    /// The newest record then, and now; nil where it could not even begin.
    public private(set) var then: SessionRecord
    public private(set) var now: SessionRecord?
    /// What has come about and was not held against anything yet.
    private var pending = Deque<SessionRecord>()

    init(_ session: SessionName, opening: Int, _ record: SessionRecord) {
        (self.session, self.opening, then) = (session, opening, record)
    }

    /// Goes on from a record in the middle, which is not run.
    func begin(with record: SessionRecord) { (then, now) = (record, record) }

    // MARK: what comes about now

    func derived(_ record: SessionRecord) {
        now = record
        if difference == nil { pending.append(record) }
    }

    // MARK: what came about then

    /// Whether a timer stands as it stood then: it fires as late as it did.
    func stands(_ signal: String) -> Bool {
        guard difference == nil, let now, let timer = RecordFacts(now).timer(signal) else {
            return false
        }
        return RecordFacts(then).timer(signal) == timer
    }

    /// Before a record of then: nothing may have come about that did not.
    func expectNothing(before record: SessionRecord? = nil) {
        guard let extra = pending.removeFirst() else { return }
        differ(.extra, at: extra.at, record, extra)
    }

    /// A record of then: the next thing that has come about is to be the same.
    func compare(_ record: SessionRecord) {
        then = record
        guard difference == nil else { return }
        guard let now = pending.removeFirst() else {
            return differ(.missing, at: record.at, record, nil)
        }
        guard
            now.isRepeated(by: record)
                || RecordFacts(now).looksLike(RecordFacts(record))
        else { return differ(.otherwise, at: min(now.at, record.at), record, now) }
        if record.kind == .change { changes += 1 }
    }

    func refused(_ name: String, _ record: SessionRecord) {
        differ(.refused(name), at: record.at, record, nil)
        then = record
    }

    func taken(_ name: String, _ record: SessionRecord) {
        differ(.taken(name), at: record.at, nil, pending.first, position: record.position)
    }

    func quarantined(_ why: String, at instant: Instant) {
        differ(.quarantined(why), at: instant, nil, nil)
    }

    private func differ(
        _ why: Why, at instant: Instant, _ then: SessionRecord?, _ now: SessionRecord?,
        position: Int? = nil
    ) {
        guard difference == nil else { return }
        difference = Difference(
            position: position ?? then?.position, at: instant, why: why, then: then, now: now)
        pending.removeAll()
    }
}
