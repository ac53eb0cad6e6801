internal import GameFlow
internal import Timers

/// Timers that fire at a time of day, when the wall clock is another than when their deadlines were computed.
extension Sessions {
    /// The number of deadlines that one call computes again, so that many timers do not hold the loop.
    private static let deadlinesAtOnce = 200

    /// Computes the deadlines again that do not fit the wall clock: a change of the kind `timer` for each timer. They do not fit
    /// after the wall clock was set by more than `CivilClock.tolerance`, and if an undo or a row with `back` brought back an
    /// earlier deadline. `lead` is by how much the wall clock is ahead of the sessions' clock now. During a failure of the store,
    /// and if there are many timers, deadlines wait for the next call.
    package func followWallClock(withLead lead: Duration) {
        timerQueue.wallClock.lead = lead
        guard outage == nil else { return }
        for timer in misplacedTimers.prefix(Self.deadlinesAtOnce) {
            let until = timerQueue.wallClock.again(timer.until, at: now)
            // An error leaves the deadline to the next call.
            _ = try? set(timer, to: until, RequestContext(from: .timer))
        }
    }

    /// Lets timers that were restored fire at their recorded dates, although the wall clock has another lead than when the
    /// deadlines were recorded. A replay also calls this when the journal records another lead.
    package func keepDates(withLead lead: Duration) {
        timerQueue.wallClock.lead = lead
        for timer in misplacedTimers {
            timerQueue.correctUntil(timer.id, to: timer.until.with(lead: lead))
        }
    }

    /// Gives a session's timers the deadlines at times of day that a record of the session contains.
    package func takeDeadlines(from record: SessionRecord) {
        guard let name = record.session, let session = index[name],
            let timers = record.status?.machine?.timers
        else { return }
        for recorded in timers {
            guard let until = recorded.until, let timer = session.machine.timer(recorded.fires),
                timer.until?.time == until.time, timer.until != until
            else { continue }
            timerQueue.correctUntil(timer.id, to: until)
        }
    }

    /// Makes the change with which a recorded daemon computed the deadline of a timer again. If the session has no such timer,
    /// which can only be in a replay with another flow, nothing changes.
    func repeatSetting(
        _ operation: TimerOperation, to until: UntilTime, of session: Session,
        _ context: RequestContext
    ) throws(RequestError) {
        guard let timer = session.machine.timer(operation.fires), timer.until != nil else {
            return
        }
        try set((session, timer.id, operation.fires, until), to: until, context)
    }

    private typealias TimerAtTimeOfDay = (
        session: Session, id: TimerID, fires: String, until: UntilTime
    )

    /// The timers of these sessions whose deadlines do not fit the lead of the wall clock, in the order of the sessions' names and
    /// of the timers.
    private var misplacedTimers: [TimerAtTimeOfDay] {
        let misplaced = timerQueue.misplacedUntils
        if misplaced.isEmpty { return [] }
        return misplaced.compactMap { owner, id, until -> TimerAtTimeOfDay? in
            guard let machine = owner as? AnyMachine, let session = machine.observer as? Session,
                session.sessions === self, session.machine === machine,
                let timer = machine.liveTimers.first(where: { $0.id == id })
            else { return nil }
            return (session, id, timer.fires, until)
        }.sorted { ($0.session.name, $0.fires) < ($1.session.name, $1.fires) }
    }

    private func set(
        _ timer: TimerAtTimeOfDay, to until: UntilTime, _ context: RequestContext
    ) throws(RequestError) {
        defer { finishRequest() }
        let command = try SessionCommand(timer.session, context)
        timerQueue.setUntil(timer.id, to: until)
        let left = timer.session.machine.timer(timer.fires)?.info.remaining ?? .zero
        _ = command.change(
            .timer, Change.OperatedTimer(TimerOperation(timer.fires, .set, by: left)),
            hasChanged: true)
    }
}
