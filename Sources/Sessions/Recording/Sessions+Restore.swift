public import GameFlow
internal import Support
public import Timers

/// A session's newest row as it was written, and the mark of the newest of all its rows.
public struct WrittenSession: Sendable {
    public let record: SessionRecord
    public let mark: RowMark
    /// The position of the session's first row.
    public let began: Int

    public init(_ record: SessionRecord, _ mark: RowMark, began: Int = 0) {
        (self.record, self.mark, self.began) = (record, mark, began)
    }
}

/// Why a session cannot be taken up again.
struct NotRestored: Error { let why: String }

/// Going on from what was written down.
extension Sessions {
    /// A session that could not be restored, and why. The others are.
    public struct Quarantined: Equatable, Sendable {
        public let session: SessionName
        public let why: String

        public init(session: SessionName, why: String) { (self.session, self.why) = (session, why) }
    }

    /// What there is to go on from.
    public struct Written: Sendable {
        /// The newest row of each session, those that are over among them, in the order of the rows.
        public var sessions: [WrittenSession] = []
        /// The rows that came of requests with an id, in their order; of each session only those since it
        /// was opened.
        public var answers: [SessionRecord] = []
        /// The sessions whose rows are damaged, and how.
        public var damaged: [Quarantined] = []
        /// The daemon's starts.
        public var starts = Starts()
        /// The newest of the daemon's own rows, and of all rows.
        public var daemon = RowMark.start
        public var newest = RowMark.start
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
        var timers: [RestoredTimer] = []
        timers.reserveCapacity(written.sessions.count)
        index.reserve(written.sessions.count)
        var last = written.pos
        for (number, row) in written.sessions.enumerated() {
            guard let name = row.record.session, !damaged.contains(name) else { continue }
            last = max(last, row.record.pos)
            guard let status = row.record.status, row.record.step?.step.kind != .close else {
                continue
            }
            do throws(NotRestored) {
                guard let snapshot = status.machine else {
                    throw NotRestored(why: "its last rows are missing")
                }
                let restarts = written.starts.restarts(
                    after: row.record.position ?? row.mark.position)
                let pause = Downtime(
                    lastSign: isMeanwhile ? nil : lastSign, stoodStill: restarts.stoodStill,
                    restartedAt: restarts.last)
                timers += try restore(row, name, status, snapshot, pause)
            } catch {
                quarantined.append(Quarantined(session: name, why: error.why))
            }
            tell(number + 1)
        }
        for session in quarantined { recording.quarantine[session.session] = session.why }
        startRing(at: last + 1)
        recording.keptAt = now
        (recording.newest, recording.kept) = (written.newest.position, written.newest.position)
        recording.keptPos = last
        (recording.daemon, recording.keptDaemon) = (written.daemon, written.daemon)
        recording.starts = written.starts
        RestoredTimer.set(timers, isAll: true)
        rememberIDs(of: written.answers)
        return quarantined
    }

    private func restore(
        _ row: WrittenSession, _ name: SessionName, _ status: SessionRecord.Status,
        _ snapshot: MachineSnapshot, _ pause: Downtime
    ) throws(NotRestored) -> [RestoredTimer] {
        guard let flow = flows.first(where: { $0.name == status.flow }) else {
            throw NotRestored(why: "there is no flow \(status.flow)")
        }
        let session = Session(name, flow, in: self, openedAt: status.openedAt)
        let timers = try session.restore(row, snapshot, pause)
        index.insert(session)
        return timers
    }

    /// Why a flow does not accept a recorded state.
    static func sentence(_ refusal: Reason, about place: Place) -> String {
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
    private func given(_ answer: Change, _ record: SessionRecord) -> GivenAnswer {
        switch answer.kind {
        case .open, .timer, .close:
            GivenAnswer(change: answer, shown: record.status.map { .recorded($0) } ?? .change)
        case .enter, .keep, .defer, .drop, .goto: GivenAnswer(change: answer, shown: .change)
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
        var row = Uncommitted(session: nil, Standing(mark: mark), at: now)
        row.givenUp = (name, why)
        recording.uncommitted.append(row)
    }
}
