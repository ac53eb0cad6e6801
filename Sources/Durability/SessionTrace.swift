public import GameFlow
public import Sessions
internal import Support
public import Timers

/// The replay of one session with another flow, compared with the recording.
public final class SessionTrace {
    /// The first difference.
    public struct Difference {
        /// The position of the recorded row that differs; nil after the last one.
        public let position: Int?
        public let at: Instant
        public let why: Why
        /// The recorded and the replayed record; either may be missing.
        public let then: SessionRecord?
        public let now: SessionRecord?
    }

    public enum Why: Equatable, Sendable {
        /// The recorded change does not happen in the replay.
        case missing
        /// The replay has a change that was not recorded.
        case extra
        case otherwise
        /// An event that was accepted is refused by the error of that name, or the reverse.
        case refused(String)
        case taken(String)
        /// The session was moved to another version of its flow, or changes were undone; what follows depends on
        /// a state that only the recording has.
        case notReplayed(Step.Kind)
        /// The session cannot be restored after a restart.
        case quarantined(String)
    }

    public let session: SessionName
    /// The ordinal, from 1, of the opening of a session with that name.
    public let opening: Int
    /// The number of changes that were the same in the replay.
    public private(set) var changes = 0
    public private(set) var difference: Difference?
    /// The newest recorded and replayed records; the latter is nil if the session could not be
    /// opened.
    public private(set) var then: SessionRecord
    public private(set) var now: SessionRecord?
    /// The replayed records that were not compared yet.
    private var pending = Deque<SessionRecord>()

    init(_ session: SessionName, opening: Int, _ record: SessionRecord) {
        (self.session, self.opening, then) = (session, opening, record)
    }

    /// Continues from a record in the middle of the session, which is not executed.
    func begin(with record: SessionRecord) { (then, now) = (record, record) }

    // MARK: replayed records

    func derived(_ record: SessionRecord) {
        now = record
        if difference == nil { pending.append(record) }
    }

    // MARK: recorded records

    /// Whether the timer has the recorded deadline, so that it fires as late as it did in the
    /// recording.
    func stands(_ signal: String) -> Bool {
        guard difference == nil, let now, let timer = RecordFacts(now).timer(signal) else {
            return false
        }
        return RecordFacts(then).timer(signal) == timer
    }

    /// Checks, before the next recorded record, that the replay has no additional one.
    func expectNothing(before record: SessionRecord? = nil) {
        guard let extra = pending.removeFirst() else { return }
        differ(.extra, at: extra.at, record, extra)
    }

    /// Compares a recorded record with the next one of the replay.
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

    func notReplayed(_ kind: Step.Kind, _ record: SessionRecord) {
        differ(.notReplayed(kind), at: record.at, record, nil)
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
