public import GameFlow
internal import Support
public import Timers

/// The reason for which a session cannot be restored.
struct NotRestored: Error { let why: String }

/// Restoring sessions from the journal.
extension Sessions {
    /// A session that could not be restored, and the reason. It does not prevent the others from being
    /// restored.
    public struct Quarantined: Error, Equatable, Sendable {
        public let session: SessionName
        public let why: String

        public init(session: SessionName, why: String) { (self.session, self.why) = (session, why) }
    }

    /// The content of the journal from which the sessions are restored.
    public struct Written {
        public var sessions = WrittenSessions()
        /// The rows of requests with an id, in order; for each session only those since its last opening.
        public var answers: [SessionRecord] = []
        /// The sessions with damaged rows, and the damage.
        public var damaged: [Quarantined] = []
        /// The daemon's starts.
        public var starts = Starts()
        /// The positions of the daemon's own newest row and of the newest row of all.
        public var daemon = JournalPosition.start
        public var newest = JournalPosition.start
        /// The position of the newest change.
        public var pos = 0

        public init() {}
    }

    /// Restores the sessions; must be called before any other method. Returns the sessions that could not be
    /// restored.
    ///
    /// `lastSign` is the last instant at which the daemon is known to have run. If `isMeanwhile` is true, no
    /// time has passed, and every timer continues unchanged whatever its restart policy is. `tell` is called
    /// after each session with the number of sessions processed. Watchers receive nothing, and no timer fires
    /// before the timeline settles.
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

    /// Returns a sentence that explains why a flow does not accept a recorded state.
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

    /// Adds recorded answers to the idempotency cache. Of a closed session, only the answer to its closing is
    /// added.
    private func rememberIDs(of records: [SessionRecord]) {
        for record in records {
            guard let id = record.id, let name = record.session, let answer = record.answer,
                index[name] != nil || answer.kind == .close
            else { continue }
            receipts.remember(
                given(answer, record), as: id, of: name, mark: record.position ?? 0)
        }
    }

    /// Returns the answer to a recorded request; some requests are answered with the session.
    private func given(_ answer: Change, _ record: SessionRecord) -> CachedAnswer {
        switch answer.kind {
        case .open, .timer, .close:
            CachedAnswer(change: answer, shown: record.status.map { .recorded($0) } ?? .change)
        case .enter, .keep, .defer, .drop, .goto: CachedAnswer(change: answer, shown: .change)
        }
    }

    /// Skips the numbers of erased changes: the next change gets the number after `pos`.
    public func skipNumbers(upTo pos: Int) { startRing(at: pos + 1) }

    // MARK: quarantine

    func quarantined(_ name: SessionName, _ why: String) -> RequestError {
        .storage(
            why: "\(name.text) was not taken up again after the restart: \(why); "
                + "`gamectl close @\(name.text)` gives it up", outcome: .undone)
    }

    /// The number of sessions that could not be restored and were not given up.
    public var quarantined: Int { recording.quarantine.count }

    /// Returns the reason of a session's quarantine; nil if it is not quarantined.
    public func quarantine(of name: SessionName) -> String? { recording.quarantine[name] }

    /// Gives up a quarantined session. Its name may be used again; its rows are kept.
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
