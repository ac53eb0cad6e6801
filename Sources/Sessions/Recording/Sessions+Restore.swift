public import GameFlow
internal import JSON
internal import Support
public import Timers

/// A session's newest row as it was written, and the mark of the newest of all its rows.
public struct WrittenSession: Sendable {
    public let record: SessionRecord
    public let mark: RowMark
    /// The position of the session's first row.
    public let began: Int
    /// How often the daemon has begun again since.
    public let restarts: Restarts

    public init(
        _ record: SessionRecord, _ mark: RowMark, began: Int = 0, restarts: Restarts = Restarts()
    ) {
        (self.record, self.mark, self.began, self.restarts) = (record, mark, began, restarts)
    }

    /// What earlier restarts have done to time.
    public struct Restarts: Sendable {
        /// How long it stood still for timers that stand still with it.
        public var stoodStill = Duration.zero
        /// When the last of them was.
        public var last: Instant?

        public init() {}

        /// One more, at an instant; the daemon was last known to be up at another.
        public mutating func add(at now: Instant, lastSign: Instant) {
            stoodStill = stoodStill + max(now - lastSign, .zero)
            last = now
        }
    }
}

/// Why a session cannot be taken up again.
private struct NotRestored: Error { let why: String }

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
        var last = written.pos
        for (number, row) in written.sessions.enumerated() {
            guard let name = row.record.session, !damaged.contains(name) else { continue }
            last = max(last, row.record.pos)
            guard let status = row.record.status, let snapshot = status.machine else { continue }
            do throws(NotRestored) {
                let pause = Downtime(
                    lastSign: isMeanwhile ? nil : lastSign, stoodStill: row.restarts.stoodStill,
                    restartedAt: row.restarts.last)
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
        RestoredTimer.set(timers)
        for session in index.page(after: nil, limit: .max, where: { _ in true }) {
            session.standAsRestored()
        }
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
        let timers: [RestoredTimer]
        do throws(Reason) { timers = try session.machine.restore(snapshot, after: pause) } catch {
            throw NotRestored(why: Self.sentence(error, about: snapshot.place))
        }
        session.restore(
            Standing(
                mark: row.mark, change: row.record.change, snapshot: snapshot,
                state: row.record.position ?? row.mark.position, began: row.began,
                ids: status.ids))
        index.insert(session)
        return timers
    }

    /// Why a flow does not accept a recorded state.
    private static func sentence(_ refusal: Reason, about place: Place) -> String {
        let state = place.state
        switch refusal.code {
        case .unknownState: return "the flow has no state \(state)"
        case .invalid:
            let (name, why) = (refusal.subject, refusal.why)
            guard let value = place.data[name] else { fallthrough }
            let text = String(decoding: JSONWriter.bytes { $0.value(value) }, as: UTF8.self)
            return "its state `\(state)` has \(name)=\(text), and the flow refuses that: \(why)"
        default: return "the flow does not accept its state `\(state)`: \(refusal.sentence)"
        }
    }

    /// The answers that were given to requests with an id are given again. What belongs to a session that
    /// is over, or to an earlier one of the same name, is forgotten.
    private func rememberIDs(of records: [SessionRecord]) {
        for record in records {
            guard let id = record.id, let name = record.session, index[name] != nil,
                let answer = record.answer
            else { continue }
            receipts.remember(answer, as: id, of: name, mark: record.position ?? 0)
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
        seeAll()
        recording.uncommitted.append(
            Uncommitted(
                session: nil, standing: Standing(mark: mark), at: now, isChange: false, id: nil,
                givenUp: (name, why)))
    }
}
