public import GameFlow
public import Support
public import Timers

/// The reason for which a session cannot be restored.
struct RestoreError: DescribedError { let why: String }

/// Restoring sessions from the journal.
extension Sessions {
    /// A session that could not be restored, and the reason. The other sessions are restored nevertheless.
    public struct QuarantineError: DescribedError, Equatable, Sendable {
        public let session: SessionName
        public let why: String
        /// The name of the session's flow; nil if no row could be read that names it.
        public var flow: String?

        public init(session: SessionName, why: String, flow: String? = nil) {
            (self.session, self.why, self.flow) = (session, why, flow)
        }
    }

    /// The content of the journal from which the sessions are restored.
    public struct JournalContent {
        /// The newest rows of the sessions.
        public var sessions: any SessionRows = NoSessionRows()
        /// The rows of requests with an id, in order; for each session only the rows since its newest opening.
        public var answers: [SessionRecord] = []
        /// The sessions with damaged rows, each with a description of the damage.
        public var damaged: [QuarantineError] = []
        /// The texts of flows, each with the flow's name.
        public var flowTexts: [(name: String, source: FlowSource)] = []
        /// The daemon's starts.
        public var starts = Starts()
        public var clockCorrections = ClockCorrections()
        /// The position of the daemon's own newest row.
        public var daemon = JournalPosition.start
        /// The position of the newest row of the journal.
        public var newest = JournalPosition.start
        /// The `pos` of the newest change.
        public var pos = 0

        public init() {}
    }

    /// Restores the sessions; must be called before any other method. Returns the sessions that could not be
    /// restored.
    ///
    /// `lastAlive` is the last instant at which the daemon is known to have run. `wasRunning` is true if another node has
    /// handed the sessions over. In this case, all timers that were due by `lastAlive` have fired. Every timer then continues
    /// without a pause, whatever its restart policy is. `onProgress` is called after each session with the number of sessions
    /// that were processed. Watchers receive nothing. No timer fires before `fireDueTimers` is called on the clock.
    ///
    /// At most `decoding` sessions are decoded now that can be decoded later. The others are decoded when they are needed, and by
    /// `decodeNext`. After a hand-over, all are decoded now.
    public func restore(
        _ content: JournalContent, lastAlive: Instant, wasRunning: Bool = false,
        decoding decodedNow: Int = .max, onProgress: (Int) -> Void = { _ in }
    ) -> [QuarantineError] {
        precondition(count == 0 && pos == 0, "restore is called before any other method")
        for text in content.flowTexts { addRecordedText(text.source, of: text.name) }
        var quarantined = content.damaged
        let damaged = Set(quarantined.map(\.session))
        // The flows of damaged sessions whose newest row can be read.
        var damagedFlows: [SessionName: String] = [:]
        var unrestorable: [QuarantineError] = []
        timerQueue.reserve(content.sessions.count)
        let mayLeave = decodedNow < content.sessions.count && !wasRunning && lastAlive <= now
        let unread =
            mayLeave
            ? UnreadSessions(
                content.sessions, restartedAt: now, lastAlive: lastAlive, content.starts) : nil
        var restored = RestoredSessions(
            wasRunning ? .handOver(at: lastAlive) : .restart(lastAlive: lastAlive), content.starts,
            capacity: mayLeave ? 0 : content.sessions.count, pos: content.pos)
        var leftCount = 0
        var processedCount = 0
        func reportProgress() {
            processedCount += 1
            onProgress(processedCount)
        }
        content.sessions.forEach { number, name, bounds in
            guard let unread else { return false }
            leftCount += 1
            guard leftCount > decodedNow, damaged.isEmpty || !damaged.contains(name),
                unread.add(number, bounds)
            else { return false }
            reportProgress()
            return true
        } _: { record, checkpoint in
            defer { reportProgress() }
            guard let name = record.session else { return }
            guard !damaged.contains(name) else {
                damagedFlows[name] = record.status?.flow
                return
            }
            do throws(QuarantineError) {
                try restored.restore(record, checkpoint, name, in: self)
            } catch { unrestorable.append(error) }
        } unreadable: { error in
            defer { reportProgress() }
            if !damaged.contains(error.session) { quarantined.append(error) }
        }
        quarantined += unrestorable
        index = SessionIndex(restored.sessions, capacity: restored.sessions.count + leftCount)
        let newestPos = restored.pos
        for index in quarantined.indices where quarantined[index].flow == nil {
            quarantined[index].flow = damagedFlows[quarantined[index].session]
        }
        for error in quarantined { recording.quarantine[error.session] = error }
        startRing(at: newestPos + 1)
        recording.durableAt = now
        (recording.newestRow, recording.durableRow) = (
            content.newest.position, content.newest.position
        )
        recording.durablePos = newestPos
        (recording.daemonRow, recording.durableDaemonRow) = (content.daemon, content.daemon)
        recording.starts = content.starts
        clockCorrections.replace(with: content.clockCorrections)
        if let unread, unread.count > 0 { self.unread = unread }
        RestoredTimer.set(
            restored.timers, on: timerQueue, queueIsEmpty: true, after: self.unread?.order ?? 0)
        self.unread?.followDeadlines(on: timerQueue) { [unowned self] in decode($0) }
        if clock.isReal { keepDates(withLead: timerQueue.wallClock.lead) }
        rememberIDs(of: content.answers)
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
            return "its state `\(state)` has \(name)=\(value), and the flow refuses it: \(why)"
        default: return "the flow rejects its state `\(state)`: \(refusal.sentence)"
        }
    }

    /// Adds recorded answers to the idempotency cache. Of a closed session, only the answer to its closing is
    /// added. A session with more ids than were recorded has lost the answers before the oldest recorded one.
    private func rememberIDs(of records: [SessionRecord]) {
        var restored: [SessionName: (count: Int, oldest: Instant)] = [:]
        for record in records {
            guard let id = record.id, let name = record.session,
                let answer = record.answer(view: openSession(name)?.flow.clientView),
                index[name] != nil || answer.kind == .close
            else { continue }
            idempotencyCache.remember(recordedAnswer(answer, record), as: id, now: now)
            let earlier = restored[name]
            restored[name] = ((earlier?.count ?? 0) + 1, earlier?.oldest ?? record.at)
        }
        // A session that is not decoded yet has no known id.
        for session in decoded {
            let known = restored[session.name]
            guard session.newestCheckpoint.requestIDCount > known?.count ?? 0 else { continue }
            idempotencyCache.lose(session.name, upTo: known?.oldest ?? now)
        }
    }

    /// Returns the answer to a recorded request. The answer to some requests is a session, to others a change.
    private func recordedAnswer(_ answer: Change, _ record: SessionRecord) -> CachedAnswer {
        let status = answer.kind.has(.answersWithStatus) ? record.status : nil
        return CachedAnswer(
            change: answer, content: status.map { .recorded($0) } ?? .change,
            row: record.position ?? 0, at: record.at)
    }

    /// Adds the text of a version of a flow that the journal contains.
    package func addRecordedText(_ source: FlowSource, of name: String) {
        catalog.addRecorded(source, of: name)
        recording.recordedTexts.insert(.init(flow: name, version: source.version))
    }

    /// Skips the numbers of erased changes: the next change gets the number after `pos`.
    public func skipNumbers(upTo pos: Int) {
        ring.skip(upTo: pos)
        statesBeforeSteps.skip(upTo: pos)
    }

    // MARK: quarantine

    /// The error for a request about a quarantined session; `why` is the reason of the quarantine.
    func quarantineError(_ name: SessionName, _ why: String) -> RequestError {
        .storage(
            why: "\(name.text) could not be restored after the restart: \(why); "
                + "`gamectl close @\(name.text)` discards it", outcome: .undone)
    }

    /// The number of sessions that could not be restored and were not given up.
    public var quarantinedCount: Int { recording.quarantine.count }

    /// Returns the reason of a session's quarantine; nil if it is not quarantined. A session that is not decoded yet is decoded now.
    public func quarantine(of name: SessionName) -> String? {
        decode(name)
        return recording.quarantine[name]?.why
    }

    /// The numbers of quarantined sessions by their flow; the sessions whose flow is not known have the key nil.
    public var quarantinedCountsByFlow: [String?: Int] {
        recording.quarantine.values.reduce(into: [:]) { $0[$1.flow, default: 0] += 1 }
    }

    /// Gives up a quarantined session. Its name may be used again; its rows are kept.
    public func closeQuarantined(_ name: SessionName, from source: Source) throws(RequestError) {
        guard let error = recording.quarantine[name] else { return }
        if let outage { throw outageError(outage) }
        recording.quarantine[name] = nil
        guard let recorder else { return }
        // Like an opening, the row begins a new chain of rows and has the `seq` 1: the damaged rows cannot be continued.
        let record = SessionRecord(
            .quarantineGivenUp(why: error.why, source: source), session: name, seq: 1,
            at: now, pos: pos)
        let newRow = recorder(record, .start)
        recording.newestRow = newRow.position
        recording.pending.append(
            PendingRow(.quarantineEnd(error), newRow, at: now))
    }
}

extension Sessions {
    /// A session that could not be restored at the next restart. Its flow refuses to enter the session's present state with the
    /// present data, which is a fault of the flow.
    public struct UnrestorableSession: Equatable, Sendable {
        public let session: SessionName
        public let flow: String
        /// The state and its data.
        public let place: StateRecord
        public let why: Reason

        /// The sentence for the log.
        public var sentence: String {
            "session \(session.text) would be lost at a restart: flow \(flow) refuses to enter "
                + "\(place.state) with \(Value.object(place.data)): \(why.sentence)"
        }
    }

    /// Calls `reportUnrestorable` if the session could not be restored in its state after `change`. Checks nothing if
    /// `reportUnrestorable` is nil.
    func checkRestoring(_ session: Session, after change: Change) {
        guard let reportUnrestorable, change.kind.has(.changesState),
            let place = change.step.to, let why = session.flow.obstacle(toRestoring: place)
        else { return }
        reportUnrestorable(
            UnrestorableSession(
                session: session.name, flow: session.flow.name, place: place, why: why))
    }
}
