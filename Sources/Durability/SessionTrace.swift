public import GameFlow
public import Sessions
internal import Support
public import Timers

/// The replay of one session with another flow, compared with the recording.
public final class SessionTrace {
    /// The first difference between the recording and the replay.
    public struct Difference {
        /// The position of the recorded row that differs; nil if no recorded row belongs to the difference.
        public let position: Int?
        public let at: Instant
        public let kind: Kind
        /// The recorded record; nil if it is missing.
        public let recorded: SessionRecord?
        /// The replayed record; nil if it is missing.
        public let replayed: SessionRecord?
    }

    /// How a recording and its replay differ.
    public enum Kind: Equatable, Sendable {
        /// The recorded change does not happen in the replay.
        case missing
        /// The replay has a change that was not recorded.
        case extra
        /// The recorded change happens differently in the replay.
        case different
        /// An event that was accepted in the recording is refused in the replay, with the error of that name.
        case refused(String)
        /// An event that was refused in the recording, with the error of that name, is accepted in the replay.
        case accepted(String)
        /// The session was moved to another version of its flow, or changes were undone. The following changes depend on a
        /// state that only the recording has.
        case notReplayed(Step.Kind)
        /// The session cannot be restored after a restart.
        case quarantined(String)
    }

    public let session: SessionName
    /// The number of this session, from 1, among the sessions of its name.
    public let opening: Int
    /// The number of changes that were the same in the replay.
    public private(set) var changes = 0
    public private(set) var difference: Difference?
    /// The newest recorded record.
    public private(set) var newestRecorded: SessionRecord
    /// The newest replayed record; nil if the session could not be opened.
    public private(set) var newestReplayed: SessionRecord?
    /// The replayed records that were not compared yet.
    private var pending = Deque<SessionRecord>()

    init(_ session: SessionName, opening: Int, _ record: SessionRecord) {
        (self.session, self.opening, newestRecorded) = (session, opening, record)
    }

    /// Begins with a record in the middle of the session. The record is not executed.
    func begin(with record: SessionRecord) {
        (newestRecorded, newestReplayed) = (record, record)
    }

    // MARK: replayed records

    func addReplayed(_ record: SessionRecord) {
        newestReplayed = record
        if difference == nil { pending.append(record) }
    }

    // MARK: recorded records

    /// Whether the timer with this signal has the recorded deadline, so that it fires as late as it did
    /// in the recording.
    func hasRecordedDeadline(_ signal: String) -> Bool {
        guard difference == nil, let newestReplayed,
            let timer = RecordContent(newestReplayed).timer(signal)
        else {
            return false
        }
        return RecordContent(newestRecorded).timer(signal) == timer
    }

    /// Checks, before the next recorded record, that the replay has no additional record.
    func expectNothing(before record: SessionRecord? = nil) {
        guard let extra = pending.removeFirst() else { return }
        differ(.extra, at: extra.at, record, extra)
    }

    /// Compares a recorded record with the next replayed record.
    func compare(_ record: SessionRecord) {
        newestRecorded = record
        guard difference == nil else { return }
        guard let replayed = pending.removeFirst() else {
            return differ(.missing, at: record.at, record, nil)
        }
        guard
            replayed.isRepeated(by: record)
                || RecordContent(replayed)
                    .isSameForClients(as: RecordContent(record))
        else { return differ(.different, at: min(replayed.at, record.at), record, replayed) }
        if record.kind == .change { changes += 1 }
    }

    /// The replay refuses the recorded input with the error of that name.
    func refused(_ name: String, _ record: SessionRecord) {
        differ(.refused(name), at: record.at, record, nil)
        newestRecorded = record
    }

    /// The replay accepts an event that was refused with the error of that name.
    func accepted(_ name: String, _ record: SessionRecord) {
        differ(.accepted(name), at: record.at, nil, pending.first, position: record.position)
    }

    func notReplayed(_ kind: Step.Kind, _ record: SessionRecord) {
        differ(.notReplayed(kind), at: record.at, record, nil)
    }

    func quarantined(_ why: String, at instant: Instant) {
        differ(.quarantined(why), at: instant, nil, nil)
    }

    /// Records the first difference.
    private func differ(
        _ kind: Kind, at instant: Instant, _ recorded: SessionRecord?, _ replayed: SessionRecord?,
        position: Int? = nil
    ) {
        guard difference == nil else { return }
        difference = Difference(
            position: position ?? recorded?.position, at: instant, kind: kind, recorded: recorded,
            replayed: replayed)
        pending.removeAll()
    }
}
