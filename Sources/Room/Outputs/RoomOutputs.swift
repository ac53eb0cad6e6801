package import Cluster
package import EventLoop
package import Outputs
package import Parts
package import RPC
package import Sessions
import Shards
import Support
import Timers

/// Sends the outputs that `on` lines ask for, when the changes that caused them are durable, and records the outcome of each output.
///
/// It serves the sessions of its journals: one for each shard of this process, with the number of the shard. All calls are on
/// the loop's thread.
package final class RoomOutputs {
    package let loop: LibeventLoop
    /// Makes the attempts to deliver outputs.
    private let senders: OutputSenders
    /// What does not work, for operators.
    private let alerts: AlertBoard
    private let retainedTopics: RetainedTopics
    let maker: OutputMaker
    let outcomes: OutputOutcomes
    /// The journals whose outputs are sent, in the order of their numbers.
    private var journals: [OutputJournal] = []
    /// The lines that send outputs to devices and programs.
    package var outputLines: [OutputLine] { maker.outputLines }
    private(set) var switches: OutputSwitches
    /// The outputs that are not finished, and the records of finished outputs that are not durable yet.
    @exclusivity(unchecked) private var queue = OutputQueue<OutputMessage>(spread: .random)
    /// Whether the daemon ends: no further attempt is made.
    private var isStopping = false
    /// Makes the next attempts when they are due.
    private var attemptTimer = Alarm()

    /// Returns the time from which an `on` line about another session applies: it is not applied to earlier changes.
    let lineStartTime: (_ line: UInt64) -> Instant
    /// Whether a failed read of the journal is repeated, because a database can become reachable again.
    package let retriesFailedReads: Bool

    /// `requests` sends requests to sessions of other shards; nil if all sessions are in this process.
    package init(
        _ options: Options, _ connections: RoomConnections, on loop: LibeventLoop, instance: String,
        _ requests: NodeRequests?, shardNumber: @escaping (SessionName) -> Int
    ) throws(EventLoopError) {
        self.loop = loop
        maker = OutputMaker(options, instance: instance, shardNumber: shardNumber)
        senders = try OutputSenders(connections, requests, on: loop)
        alerts = connections.alerts
        outcomes = OutputOutcomes(alerts)
        retainedTopics = RetainedTopics(connections, on: loop)
        lineStartTime = { [lineTimes = requests?.router.lineTimes] in
            lineTimes?.startTime(of: $0) ?? .zero
        }
        retriesFailedReads = requests != nil
        let isOn =
            switch options.room.outputSending {
            case .withRealClock: !options.sessions.isVirtual
            case .always: true
            case .never: false
            }
        switches = OutputSwitches(isOn: isOn)
        reload(options)
        alerts.began = { [unowned self] in alertBegan($0, line: $1) }
        // The connections were started before, and may have failed at once.
        for alert in alerts.alerts { alertBegan(alert, line: nil) }
    }

    // MARK: journals

    /// Sends the outputs that the sessions of this journal ask for from now on.
    package func add(_ journal: OutputJournal) {
        journals.append(journal)
        journals.sort { $0.number < $1.number }
        journal.watch(maker.onLines)
    }

    /// Removes the journal with this number, because another process or the next start sends the remaining outputs.
    package func remove(_ number: Int) {
        journals.removeAll { $0.number == number }
        queue.removeAll(of: number)
        alerts.removeOutputs(of: number)
    }

    /// Begins the alerts that the journal of an earlier start, or of an earlier owner, has.
    package func restoreAlerts(_ recorded: RecordedAlerts, in number: Int) {
        guard journal(number) != nil else { return }
        alerts.restore(recorded.unacknowledged, of: number)
    }

    private func journal(_ number: Int) -> OutputJournal? {
        journals.first { $0.number == number }
    }

    /// Whether an attempt for an output of this journal runs, or an outcome is not recorded yet. `Shard` is handed over
    /// when the result is false, or after a time limit.
    func isBusy(with journal: Int) -> Bool {
        queue.isSending(for: journal) || !queue.unwrittenRecords(in: journal).isEmpty
    }

    /// Sends the outputs of the journal `number` that an earlier start, or an earlier owner of the shard, has not sent. These
    /// outputs are read in later turns of the loop. Until they are read, the outputs of new changes wait.
    func recover(_ recovery: OutputRecovery, in number: Int) {
        guard !maker.onLines.isEmpty, let journal = journal(number) else { return }
        journal.recovery = recovery
        recovery.read(maker.composer(for: number)) {
            [weak self, weak journal] unsent in
            guard let self, let journal, journals.contains(where: { $0 === journal }) else {
                return
            }
            journal.recovery = nil
            for case (let output, let why?) in unsent { queue.giveUp(output, why) }
            add(
                unsent.filter { $0.whyGivenUp == nil }.map(\.output),
                after: journal.sessions.durableRow, of: journal)
            flush()
        }
    }

    /// Drops the outputs of those changes of the journal `number` that were rolled back because they could not be stored.
    func dropRolledBackChanges(_ number: Int) {
        guard let journal = journal(number) else { return }
        let durable = journal.sessions.durableRow
        journal.pendingNotifications.removeAll { $0.row > durable }
        queue.rollBack(to: durable, in: number)
    }

    // MARK: changes

    private func processNotifications(of journal: OutputJournal) {
        guard journal.recovery == nil, !journal.pendingNotifications.isEmpty else { return }
        for notification in exchange(&journal.pendingNotifications, with: []) {
            switch notification.content {
            case .change(let change): process(change, notification.row, journal)
            case .refused(let refused):
                add(
                    maker.outputs(of: refused, in: journal), after: notification.row, of: journal)
            case .beat, .gap, .input, .stuck: break
            }
        }
        journal.sessions.forgetClosedSessions()
    }

    private func process(_ change: Change, _ row: Int, _ journal: OutputJournal) {
        if let changes = change.undone {
            queue.undo(change.session, changes, after: row, in: journal.number)
        }
        add(maker.outputs(of: change, in: journal), after: row, of: journal)
    }

    /// Adds the outputs for a session of the journal `number` that has become stuck in its present state.
    package func becameStuck(_ session: Session, in number: Int) {
        guard let journal = journal(number) else { return }
        let sessions = journal.sessions
        let outputs = maker.outputs(ofStuck: session, in: journal)
        let row = sessions.row(of: session)
        let acceptedRow = recordAccepted(outputs, sessions) ?? 0
        add(outputs, after: max(row, acceptedRow), changeRow: row, of: journal)
    }

    /// Adds the outputs about an alert. `line` is the line of the output that the alert is about.
    private func alertBegan(_ alert: Alert, line: UInt64?) {
        let now = loop.timerQueue.now
        let (outputs, tooSoon) = maker.outputs(of: alert, line: line, at: now)
        for line in tooSoon { outcomes.countWithheld(line.fingerprint) }
        for output in outputs {
            if let why = reasonToWithhold(output) {
                queue.withhold(output, why)
            } else {
                queue.addUnrecorded(output.made(at: now), at: now)
            }
        }
    }

    /// Records outputs that no change asks for, so that a restart finds them. Returns the row of the record; nil if nothing was
    /// recorded.
    private func recordAccepted(_ outputs: [Output<OutputMessage>], _ sessions: Sessions) -> Int? {
        let records = outputs.compactMap { output in
            output.origin.map {
                DeliveryRecord($0.key, number: $0.number, acceptedFor: $0.session)
            }
        }
        guard !records.isEmpty, sessions.isRecorded else { return nil }
        return sessions.recordDeliveries(records)
    }

    /// Queues outputs, which wait until the row `row` is durable. `changeRow` is the row of the change on which the outputs
    /// depend; nil if it is `row`. If one of the outputs has `once=yes`, all of them wait for one more row, which records that
    /// the only attempt has started. Because of this row, an output with `once=yes` is not sent again after a restart.
    private func add(
        _ outputs: [Output<OutputMessage>], after row: Int, changeRow: Int? = nil,
        of journal: OutputJournal
    ) {
        var lastRow = row
        let starts = outputs.filter(\.isOnce).compactMap { $0.origin?.record(.started) }
        if !starts.isEmpty, journal.sessions.isRecorded {
            // If there is no row, the store has failed. The outputs then wait until they are rolled back with their change.
            lastRow = max(row, journal.sessions.recordDeliveries(starts) ?? .max)
        }
        let now = loop.timerQueue.now
        for output in outputs {
            let output = output.madeAt == nil ? output.made(at: now) : output
            queue.add(output, after: lastRow, change: changeRow ?? row)
        }
    }

    // MARK: deliveries

    /// Lets the queue send the outputs whose rows are durable. An output is withheld if outputs are off, if its line was
    /// removed, or if its receiver wants no more requests. A step of another session is never withheld.
    private func releaseDurableOutputs(of journal: OutputJournal) {
        guard queue.waits(for: journal.number) else { return }
        queue.commit(
            upTo: journal.sessions.durableRow, in: journal.number, at: loop.timerQueue.now
        ) { [unowned self] in reasonToWithhold($0) }
    }

    /// Why an output must not be sent; nil if it may.
    private func reasonToWithhold(_ output: Output<OutputMessage>) -> String? {
        if output.content.isSend { return nil }
        guard let line = maker.line(output.line) else { return OutputOutcomes.lineRemoved }
        return switches.reasonToWithhold(line)
    }

    /// Makes the attempts that are due, and sets the timer for the next attempts.
    private func makeDueAttempts() {
        guard !isStopping else { return }
        while true {
            let due = queue.due(at: loop.timerQueue.now) { [unowned self] output in
                output.journal == OutputQueue<OutputMessage>.noJournal
                    || journal(output.journal)?.maySend() == true
            }
            if due.isEmpty { break }
            for output in due { attempt(output) }
        }
        guard let nextAttempt = queue.nextWake else { return attemptTimer.stop() }
        let pause = nextAttempt - loop.timerQueue.now
        // `pause` is not positive if an attempt is due, but this node may not act for the output's journal at present.
        let wait = pause <= .zero ? Self.retryInterval : pause
        attemptTimer.set(on: loop, wait) { [unowned self] in
            makeDueAttempts()
            reportFinished()
        }
    }

    /// The pause before the next check whether this node may act for the journal of an output that is due.
    private static let retryInterval = Duration.milliseconds(50)

    /// Makes one attempt. If the attempt ends before this function returns, the loop in `makeDueAttempts` continues with the
    /// next output of the same target. If the attempt ends later, the next `flush` continues with that output.
    private func attempt(_ output: Output<OutputMessage>) {
        let content: any OutputContent
        do throws(ContentError) { content = try output.content.result.get() } catch {
            return queue.attemptEnded(
                output.id, of: output.target, .impossible(error.why), at: loop.timerQueue.now)
        }
        let attempt = OutputAttempt(
            content, line: output.line, node: output.content.node, timeout: output.timeout,
            linkedSteps: output.content.linkedSteps)
        senders.send(attempt) { [unowned self] result in
            switch result {
            case .delivered: break
            // `queue` decides whether there is another attempt.
            case .failed(let why), .impossible(let why):
                outcomes.attemptFailed(why, of: output.line)
            case .rejected(let why):
                outcomes.attemptFailed(why, of: output.line)
                switches.reject(output.line)
            }
            queue.attemptEnded(output.id, of: output.target, result, at: loop.timerQueue.now)
        }
    }

    /// Reports and records the outputs that are finished.
    private func reportFinished() {
        for finished in queue.takeFinished() {
            let output = finished.output
            let journal = journal(output.journal)
            let alert = outcomes.report(finished, at: journal?.sessions.now ?? alerts.now())
            if let alert, let origin = output.origin {
                queue.add(alert, to: origin.key, in: output.journal)
            }
            if finished.outcome == .givenUp { journal?.sendFailureEvent(of: output, finished.why) }
        }
        for number in queue.unwrittenJournals {
            guard let sessions = journal(number)?.sessions, sessions.isRecorded else {
                // The records have no journal to which they could be written, so they are dropped.
                queue.recordsWritten(in: nil, of: number)
                continue
            }
            if let row = sessions.recordDeliveries(queue.unwrittenRecords(in: number)) {
                queue.recordsWritten(in: row, of: number)
            }
        }
    }

    /// Adds the records that alerts were acknowledged.
    private func recordAcknowledgements() {
        for output in alerts.takeAcknowledged() where journal(output.journal) != nil {
            queue.add(
                DeliveryRecord(output.key, number: output.number, .acknowledged),
                in: output.journal)
        }
    }
}

extension RoomOutputs: TurnPart {
    package var methods: [any PartMethod] { [OutputsMethod(self, retainedTopics)] }

    /// Applies the new lines. Unchanged lines keep their outputs and counts. Outputs of removed lines are given up. Receivers
    /// that have answered that they want no more requests get requests again.
    package func reload(_ options: Options) {
        switches.forgetRejections()
        maker.reloadNodes(options)
        guard options.room.onLines != maker.onLines else { return }
        for journal in journals { processNotifications(of: journal) }
        let targets = maker.targetNames
        maker.reloadLines(options)
        senders.prepare(for: outputLines.map(\.target))
        let fingerprints = maker.onLines.fingerprints
        queue.giveUp(OutputOutcomes.lineRemoved) { !fingerprints.contains($0.line) }
        reportFinished()
        outcomes.reload(outputLines, targets: targets)
        for journal in journals { journal.watch(maker.onLines) }
    }

    /// Makes the outputs of new changes, sends those whose changes are durable, and records the outcomes.
    package func flush() {
        recordAcknowledgements()
        // A daemon without outputs ends here, in each turn of its loop.
        if queue.isUnused, maker.onLines.isEmpty { return }
        guard !maker.onLines.isEmpty || !queue.isIdle || !queue.unwrittenJournals.isEmpty else {
            return
        }
        // The event `outputFailed` can cause further outputs, which can fail in the next round.
        for _ in 0..<Self.roundsPerTurn {
            for journal in journals {
                processNotifications(of: journal)
                releaseDurableOutputs(of: journal)
            }
            makeDueAttempts()
            reportFinished()
            if journals.allSatisfy({ $0.pendingNotifications.isEmpty }) { break }
        }
    }

    /// The maximum number of rounds in a `flush`. Without it, outputs that fail and cause further outputs could go on for ever.
    private static let roundsPerTurn = 16

    package func writeMetrics(to page: inout MetricsPage) {
        let targets = maker.targetNames
        for target in targets.values { page.add(.outputsWaiting, [target], 0) }
        outcomes.counts.write(targets, to: &page)
        for output in queue.outputs {
            page.add(.outputsWaiting, [targets[output.line] ?? OutputCounts.otherTarget], 1)
        }
    }

    /// Ends the programs that run, and calls `done` when they have ended. Their outputs are then delivered or have failed.
    package func endPrograms(_ done: @escaping () -> Void) {
        senders.end { [self] in
            reportFinished()
            done()
        }
    }

    package func stop() {
        isStopping = true
        guard queue.waiting > 0 else { return }
        let consequence =
            journals.contains { $0.sessions.isRecorded }
            ? "the next start sends what is not too old" : "lost, because there is no journal"
        Log.write(
            .warning, .stop,
            "\(CountText.write(queue.waiting, "output")) not sent yet: \(consequence)")
    }
}

/// What the method `outputs` needs.
extension RoomOutputs {
    /// The outputs that are not finished.
    var waitingOutputs: [Output<OutputMessage>] { queue.outputs }

    /// Whether outputs of an earlier run are still read.
    var isRecovering: Bool { journals.contains { $0.recovery != nil } }

    /// The status of any session; nil if none is open.
    var anyStatus: SessionStatus? {
        journals.lazy.compactMap { $0.sessions.list(limit: 1).sessions.first }.first?.status
    }

    /// Switches outputs, and gives up those that wait and are now off.
    func switchOutputs(on: Bool, connection: String?) {
        switches.set(on: on, connection: connection)
        queue.giveUp(OutputSwitches.off) { [unowned self] output in
            if output.content.isSend { return false }
            return maker.line(output.line).map { !switches.areOn(for: $0.target.connection) }
                ?? true
        }
        reportFinished()
    }

    /// Makes one attempt that no change has asked for.
    func makeTestAttempt(
        _ content: any OutputContent, of line: OutputLine, _ timeout: Duration,
        _ done: @escaping (DeliveryResult) -> Void
    ) {
        let attempt = OutputAttempt(
            content, line: line.fingerprint, node: maker.sender(of: line), timeout: timeout)
        senders.send(attempt, done)
    }
}

/// Sends outputs for other nodes, with the connections and programs of this node. `IncomingNodeLink` calls it.
extension RoomOutputs {
    /// Makes one attempt for another node, and calls `done` at most once. The other node repeats failed attempts and records
    /// the result; it writes `node NAME: ` before the reason of a failure.
    package func send(_ relayed: RelayedOutput, _ done: @escaping (DeliveryResult) -> Void) {
        guard let line = maker.line(relayed.line), let content = relayed.content(for: line.target)
        else {
            return done(.failed("it does not have this `on` line"))
        }
        guard switches.areOn(for: line.target.connection) else {
            return done(.failed("its outputs are off"))
        }
        let attempt = OutputAttempt(
            content, line: line.fingerprint, node: .this, timeout: line.timeout,
            linkedSteps: relayed.linkedSteps)
        senders.send(attempt, done)
    }
}
