public import GameFlow
internal import Support
public import Timers

/// Why a session cannot be taken up again.
struct NotRestored: Error { let why: String }

/// Going on from what was written down.
extension Sessions {
    /// A session that could not be restored, and why. The others are.
    public struct Quarantined: Error, Equatable, Sendable {
        public let session: SessionName
        public let why: String

        public init(session: SessionName, why: String) { (self.session, self.why) = (session, why) }
    }

    /// What there is to go on from.
    public struct Written {
        public var sessions = WrittenSessions()
        /// The rows that came of requests with an id, in their order; of each session only those since it
        /// was opened.
        public var answers: [SessionRecord] = []
        /// The sessions whose rows are damaged, and how.
        public var damaged: [Quarantined] = []
        /// The daemon's starts.
        public var starts = Starts()
        /// The newest of the daemon's own rows, and of all rows.
        public var daemon = JournalPosition.start
        public var newest = JournalPosition.start
        /// The position of the newest change.
        public var pos = 0

        public init() {}
    }

    /// Takes up what was written down, before anything else is done. `lastSign` is the last instant at
    /// which the daemon is known to have been up. Nobody is told of anything, and no timer fires before
    /// the timeline settles. `tell` hears of every session that is done. With `isMeanwhile` no time has
    /// passed, and every timer goes on as it stood, whatever its declaration says.
    public func restore(
        _ written: Written, lastSign: Instant, isMeanwhile: Bool = false,
        tell: (Int) -> Void = { _ in }
    ) -> [Quarantined] {
        precondition(count == 0 && pos == 0, "what is restored comes first")
        var quarantined = written.damaged
        let damaged = Set(quarantined.map(\.session))
        var refused: [Quarantined] = []
        timerQueue.reserve(written.sessions.count)
        var restored = RestoredSessions(written, lastSign: isMeanwhile ? nil : lastSign)
        var number = 0
        func countOn() {
            number += 1
            tell(number)
        }
        written.sessions.forEach { row in
            defer { countOn() }
            guard let name = row.record.session, !damaged.contains(name) else { return }
            do throws(Quarantined) {
                try restored.take(row, name, in: self)
            } catch { refused.append(error) }
        } unread: { session in
            defer { countOn() }
            if !damaged.contains(session.session) { quarantined.append(session) }
        }
        quarantined += refused
        index = SessionIndex(restored.sessions)
        let last = restored.pos
        for session in quarantined { recording.quarantine[session.session] = session.why }
        startRing(at: last + 1)
        recording.keptAt = now
        (recording.newest, recording.kept) = (written.newest.position, written.newest.position)
        recording.keptPos = last
        (recording.daemon, recording.keptDaemon) = (written.daemon, written.daemon)
        recording.starts = written.starts
        RestoredTimer.set(restored.timers, on: timerQueue, isAll: true)
        rememberIDs(of: written.answers)
        return quarantined
    }

    /// Why a flow does not accept a recorded state.
    static func sentence(_ refusal: Reason, about place: StateRecord) -> String {
        let state = place.state
        switch refusal.code {
        case .unknownState: return "the flow has no state \(state)"
        case .invalid:
            let (name, why) = (refusal.subject, refusal.why)
            guard let value = place.data[name] else { fallthrough }
            return "its state `\(state)` has \(name)=\(value), and the flow refuses that: \(why)"
        default: return "the flow does not accept its state `\(state)`: \(refusal.sentence)"
        }
    }

    /// The answers that were given to requests with an id are given again. Those of a session that is closed are
    /// forgotten, but for the one to its closing.
    private func rememberIDs(of records: [SessionRecord]) {
        for record in records {
            guard let id = record.id, let name = record.session, let answer = record.answer,
                index[name] != nil || answer.kind == .close
            else { continue }
            receipts.remember(
                given(answer, record), as: id, of: name, mark: record.position ?? 0)
        }
    }

    /// The answer that a recorded request got: some are answered with the session.
    private func given(_ answer: Change, _ record: SessionRecord) -> CachedAnswer {
        switch answer.kind {
        case .open, .timer, .close:
            CachedAnswer(change: answer, shown: record.status.map { .recorded($0) } ?? .change)
        case .enter, .keep, .defer, .drop, .goto: CachedAnswer(change: answer, shown: .change)
        }
    }

    /// Leaves out the numbers of changes that were erased: the next change comes behind `pos`.
    public func skipNumbers(upTo pos: Int) { startRing(at: pos + 1) }

    // MARK: quarantine

    func quarantined(_ name: SessionName, _ why: String) -> RequestError {
        .storage(
            why: "\(name.text) was not taken up again after the restart: \(why); "
                + "`gamectl close @\(name.text)` gives it up", outcome: .undone)
    }

    /// How many sessions could not be restored, and were not given up yet.
    public var quarantined: Int { recording.quarantine.count }

    /// Why a session could not be taken up again; nil of one that could, or that is not there.
    public func quarantine(of name: SessionName) -> String? { recording.quarantine[name] }

    /// Gives up a session that could not be taken up again: its name may be used anew. Its rows stay.
    public func giveUp(_ name: SessionName, from source: Source) throws(RequestError) {
        guard let why = recording.quarantine[name] else { return }
        if let outage { throw deedRefused(outage) }
        recording.quarantine[name] = nil
        guard let recorder else { return }
        let end = SessionRecord(
            .givenUp(why: why, source: RecordedSource(source)), session: name, seq: 1, at: now,
            pos: pos)
        let mark = recorder(end, .start)
        recording.newest = mark.position
        var row = UncommittedRow(session: nil, Checkpoint(mark: mark), at: now)
        row.givenUp = (name, why)
        recording.uncommitted.append(row)
    }
}
