public import GameFlow
public import Sessions
internal import Support
public import Timers

/// The replay of one session with another flow, compared with the recording. `CounterfactualReplay` reports each recorded and
/// each replayed record to the trace; only the first difference is kept.
public final class SessionTrace {
    /// The first difference between the recording and the replay.
    public struct Difference {
        /// The position of the recorded row that differs; nil if no recorded row belongs to the difference.
        public let position: Int?
        /// The earliest time at which the recording and the replay differ.
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
    /// Whether the replay begins with the session's opening. It does not if the session's first rows were removed from the journal.
    public private(set) var beginsAtOpening = true
    /// The number of changes that were the same in the replay.
    public private(set) var changes = 0
    /// The first difference; nil if there is none so far.
    public private(set) var difference: Difference?
    /// The newest recorded record.
    public private(set) var newestRecorded: SessionRecord
    /// The newest replayed record; nil if the session could not be opened.
    public private(set) var newestReplayed: SessionRecord?
    /// The replayed records that were not compared yet, oldest first; empty after the first difference.
    private var pending = Deque<SessionRecord>()

    /// Creates the trace of a session whose first recorded record is `record`.
    init(_ session: SessionName, opening: Int, _ record: SessionRecord) {
        (self.session, self.opening, newestRecorded) = (session, opening, record)
    }

    /// Begins in the middle of the session, with the state in a recorded record. The record is not executed.
    func begin(with record: SessionRecord) {
        (newestRecorded, newestReplayed) = (record, record)
        beginsAtOpening = false
    }

    // MARK: replayed records

    /// Adds a record that the replay has produced.
    func addReplayed(_ record: SessionRecord) {
        newestReplayed = record
        if difference == nil { pending.append(record) }
    }

    // MARK: recorded records

    /// Whether the timer with this signal has the same deadline in the replay as in the recording. Such a timer fires at the
    /// recorded instant; any other timer fires at its own deadline.
    func hasRecordedDeadline(_ signal: String) -> Bool {
        guard difference == nil, let newestReplayed,
            let timer = RecordContent(newestReplayed).timer(signal)
        else {
            return false
        }
        return RecordContent(newestRecorded).timer(signal) == timer
    }

    /// Checks that the replay has produced no record in addition to the recorded ones so far. `record` is the next recorded
    /// record; nil at the end.
    func expectNothing(before record: SessionRecord? = nil) {
        guard let extra = pending.removeFirst() else { return }
        setDifference(.extra, at: extra.at, record, extra)
    }

    /// Compares a recorded record with the next replayed record.
    func compare(_ record: SessionRecord) {
        newestRecorded = record
        guard difference == nil else { return }
        guard let replayed = pending.removeFirst() else {
            return setDifference(.missing, at: record.at, record, nil)
        }
        // Two records count as the same if they contain the same values, or if clients were told the same about both.
        guard
            replayed.isRepeated(by: record)
                || RecordContent(replayed)
                    .isSameForClients(as: RecordContent(record))
        else {
            return setDifference(.different, at: min(replayed.at, record.at), record, replayed)
        }
        if record.kind == .change { changes += 1 }
    }

    /// The replay refuses the recorded input with the error of the name `name`.
    func refused(_ name: String, _ record: SessionRecord) {
        setDifference(.refused(name), at: record.at, record, nil)
        newestRecorded = record
    }

    /// The replay accepts an event that was refused in the recording with the error of the name `name`.
    func accepted(_ name: String, _ record: SessionRecord) {
        setDifference(
            .accepted(name), at: record.at, nil, pending.first, position: record.position)
    }

    /// The recording has a step that the replay cannot execute: a move to another version of the flow, or an undo.
    func addUnreplayedStep(_ kind: Step.Kind, _ record: SessionRecord) {
        setDifference(.notReplayed(kind), at: record.at, record, nil)
    }

    /// The session ends in the replay, for the reason `why`.
    func quarantined(_ why: String, at instant: Instant) {
        setDifference(.quarantined(why), at: instant, nil, nil)
    }

    /// Keeps the first difference; ignores any later one. `position` is the position of the row that differs; nil means the
    /// position of `recorded`.
    private func setDifference(
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
