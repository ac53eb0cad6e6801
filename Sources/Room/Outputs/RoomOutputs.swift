package import Cluster
import Durability
package import EventLoop
import GameFlow
package import Outputs
package import Parts
package import RPC
package import Sessions
import Shards
import Support
import Timers

/// Sends the outputs that `on` lines ask for, when the changes that caused them are durable. Counts, logs and records the
/// outcome of each output.
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
    /// The name of the daemon's instance, with which the ids of outputs begin.
    package let instance: String
    /// The journals whose outputs are sent, in the order of their numbers.
    private var journals: [OutputJournal] = []
    /// All `on` lines of the configuration: the lines that send outputs, and the lines that cause steps of other sessions.
    @exclusivity(unchecked) private var onLines = OnLines()
    /// Finds the node that sends an output.
    private var nodes: OutputNodes
    /// The lines that send outputs to devices and programs.
    package var outputLines: [OutputLine] { onLines.outputs }
    /// The counts of each line.
    private(set) var counts = OutputCounts()
    private(set) var switches: OutputSwitches
    /// The outputs that are not finished, and the records of finished outputs that are not durable yet.
    @exclusivity(unchecked) private var queue = OutputQueue<OutputMessage>(spread: .random)
    /// Whether the daemon ends: no further attempt is made.
    private var isStopping = false
    /// Makes the next attempts when they are due.
    private var attemptTimer = Alarm()
    /// The number of refusals since the start. A refusal has no number that stays unique after a restart. So the ids of its
    /// outputs contain this count and `startID`.
    private var refusalCount = 0
    /// The number of alerts since the start for which outputs were made. Their ids contain it, as those of refusals.
    private var alertCount = 0
    private var alertLines = AlertLines()
    /// A random text for this start of the daemon.
    private let startID = String(UInt64.random(in: .min ... .max), radix: 36)
    /// Logs the 1st, 2nd, 4th, 8th … occurrence of each sentence. Counts up to 256 different sentences.
    private var log = LogThrottle(limit: 256)

    /// Returns the shard of a session. A step of a session in another shard is sent as an output, because another node may own
    /// that shard. Such an output is called a send.
    private let shardNumber: (SessionName) -> Int

    /// Returns the time from which an `on` line about another session applies: it is not applied to earlier changes.
    let lineStartTime: (_ line: UInt64) -> Instant
    /// Whether a failed read of the journal is repeated, because a database can become reachable again.
    package let retriesFailedReads: Bool

    /// `requests` sends requests to sessions of other shards; nil if all sessions are in this process.
    package init(
        _ options: Options, _ connections: RoomConnections, on loop: LibeventLoop, instance: String,
        _ requests: NodeRequests?, shardNumber: @escaping (SessionName) -> Int
    ) throws(EventLoopError) {
        self.shardNumber = shardNumber
        (self.loop, self.instance, nodes) = (loop, instance, OutputNodes(options))
        senders = try OutputSenders(connections, requests, on: loop)
        alerts = connections.alerts
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
        journal.watch(onLines)
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
        guard !onLines.isEmpty, let journal = journal(number) else { return }
        journal.recovery = recovery
        recovery.read(composer(for: journal)) {
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

    private func composer(for journal: OutputJournal) -> OutputComposer {
        OutputComposer(
            onLines, instance: instance, journal: journal.number, nodes,
            shardNumber: shardNumber)
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
            case .refused(let refused): process(refused, notification.row, journal)
            case .beat, .gap, .input, .stuck: break
            }
        }
        journal.sessions.forgetClosedSessions()
    }

    private func process(_ change: Change, _ row: Int, _ journal: OutputJournal) {
        if let changes = change.undone {
            queue.undo(change.session, changes, after: row, in: journal.number)
        }
        let session =
            change.kind == .close
            ? journal.sessions.closedSession(by: change)
            : try? journal.sessions.session(change.session)
        let outputs = composer(for: journal).outputs(
            of: change, flow: session?.flow.name ?? "", labels: session?.labels ?? [])
        add(outputs, after: row, of: journal)
    }

    private func process(_ refused: RefusedEvent, _ row: Int, _ journal: OutputJournal) {
        let sessions = journal.sessions
        // A chain of steps that is too long is ended here, too: its refusal causes no further output.
        guard refused.source.linkedSteps <= Source.linkedStepsLimit,
            outputLines.contains(where: { $0.trigger == .refused }),
            let status = (try? sessions.session(refused.session))?.status
        else { return }
        refusalCount += 1
        let occasion = OutputOccasion(.refused(refused.event), status)
        let outputs = composer(for: journal).outputs(
            of: occasion, refusalID: "\(startID)-\(refusalCount)",
            linkedSteps: refused.source.linkedSteps)
        add(outputs, after: row, of: journal)
    }

    /// Adds the outputs for a session of the journal `number` that has become stuck in its present state.
    package func becameStuck(_ session: Session, in number: Int) {
        guard outputLines.contains(where: { $0.trigger == .stuck }), let journal = journal(number)
        else { return }
        let sessions = journal.sessions
        let occasion = OutputOccasion(.stuck, session.status)
        let outputs = composer(for: journal).outputs(ofStuck: occasion)
        let row = sessions.row(of: session)
        let acceptedRow = recordAccepted(outputs, sessions) ?? 0
        add(outputs, after: max(row, acceptedRow), changeRow: row, of: journal)
    }

    /// Adds the outputs of `on alert` lines. They wait for no row: an alert can be about the journal. `lineOfOutput` is the line of
    /// the output that an alert is about. The failure of an output of an `on alert` line causes no further output.
    private func alertBegan(_ alert: Alert, line lineOfOutput: UInt64?) {
        guard outputLines.contains(where: \.isAboutAlerts),
            lineOfOutput.flatMap(line)?.isAboutAlerts != true
        else { return }
        let now = loop.timerQueue.now
        let (due, tooSoon) = alertLines.select(alert, from: outputLines, at: now)
        for line in tooSoon { counts[line.fingerprint]?.countWithheld() }
        guard !due.isEmpty else { return }
        alertCount += 1
        let composer = OutputComposer(
            onLines, instance: instance, journal: OutputQueue<OutputMessage>.noJournal, nodes,
            shardNumber: shardNumber)
        for output in composer.outputs(of: alert, due, alertID: "\(startID)-\(alertCount)") {
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
        guard let line = line(output.line) else { return Self.lineRemoved }
        return switches.reasonToWithhold(line)
    }

    /// The line with this fingerprint; nil if it was removed, or if it sends no outputs.
    private func line(_ fingerprint: UInt64) -> OutputLine? {
        outputLines.first { $0.fingerprint == fingerprint }
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
        guard let content = output.content.content else {
            return queue.attemptEnded(
                output.id, of: output.target, .impossible(OutputMessage.noContentReason),
                at: loop.timerQueue.now)
        }
        let attempt = OutputAttempt(
            content, line: output.line, node: output.content.node, timeout: output.timeout,
            linkedSteps: output.content.linkedSteps)
        senders.send(attempt) { [unowned self] result in
            switch result {
            case .delivered: break
            // `queue` decides whether there is another attempt.
            case .failed(let why), .impossible(let why):
                counts[output.line]?.recordFailedAttempt(why)
            case .rejected(let why):
                counts[output.line]?.recordFailedAttempt(why)
                switches.reject(output.line)
            }
            queue.attemptEnded(output.id, of: output.target, result, at: loop.timerQueue.now)
        }
    }

    /// Counts, logs and records the outputs that are finished.
    private func reportFinished() {
        for finished in queue.takeFinished() {
            let output = finished.output
            switch finished.outcome {
            case .delivered: counts[output.line]?.countDelivered()
            case .withheld:
                counts[output.line]?.countWithheld()
                log.write(
                    .info, .output,
                    "\(output.content.destination): \(finished.why); "
                        + "not sent: \(output.content.content?.summary ?? "")"
                )
            // A finished output is never `started`, `accepted` or `acknowledged`.
            case .givenUp, .started, .accepted, .acknowledged:
                let now = journal(output.journal)?.sessions.now ?? alerts.now()
                counts[output.line]?.recordGivenUp(
                    output.id, finished.why, atMs: Int(now.milliseconds))
                log.write(
                    .warning, .output,
                    "\(output.content.destination): an output is given up: \(finished.why)",
                    [.reason(finished.why)])
                beginAlert(output, finished.why)
                sendFailureEvent(output, finished.why)
            }
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

    /// Why outputs are given up whose line an operator has removed.
    private static let lineRemoved = "its line was removed"

    /// Begins the alert about an output that was given up. An output that an operator has stopped needs no alert. Outputs of
    /// `on refused` get no alert either, because players can cause any number of them.
    private func beginAlert(_ output: Output<OutputMessage>, _ why: String) {
        guard !output.isMinor, ![Self.lineRemoved, OutputSwitches.off].contains(why),
            !why.hasPrefix(OutputQueue<OutputMessage>.undone)
        else { return }
        let subject =
            output.content.content?.summary
            ?? (output.content.effect.isEmpty
                ? "An output" : "The output of \(output.content.effect)")
        let text =
            "\(output.content.destination): \(String(subject.prefix(Self.longestWhy))) was not sent: \(why)."
        let origin = output.origin
        alerts.beginOutput(
            output.id, to: output.content.destination, text, session: origin?.session,
            line: output.line,
            origin.map {
                AlertBoard.RecordedOutput(journal: output.journal, $0.key, number: $0.number)
            })
        guard let origin else { return }
        let alert = DeliveryRecord.Alert(
            id: output.id, target: output.content.destination, text: text, session: origin.session)
        queue.add(alert, to: origin.key, in: output.journal)
    }

    /// Adds the records that alerts were acknowledged.
    private func recordAcknowledgements() {
        for output in alerts.takeAcknowledged() where journal(output.journal) != nil {
            queue.add(
                DeliveryRecord(output.key, number: output.number, .acknowledged),
                in: output.journal)
        }
    }

    /// Sends the event `outputFailed` to the session that asked for an output, if the session's flow has that event. The event
    /// gets the arguments `effect` and `why` only if the flow declares them.
    private func sendFailureEvent(_ output: Output<OutputMessage>, _ why: String) {
        guard let origin = output.origin, let journal = journal(output.journal), journal.maySend(),
            let session = try? journal.sessions.session(origin.session),
            let schema = session.flow.events.first(where: { $0.name == Self.failureEvent })
        else { return }
        let allArguments = [
            Member("effect", output.content.effect),
            Member("why", String(why.prefix(Self.longestWhy))),
        ]
        let arguments = allArguments.filter { member in
            schema.parameters.contains { $0.name == member.name }
        }
        // The session may refuse the event.
        _ = try? journal.sessions.send(
            Self.failureEvent, arguments, to: session,
            RequestContext(from: Source(.output, peer: .device(output.content.destination))))
    }

    /// The name of the event that tells a flow that an output was given up.
    static let failureEvent = "outputFailed"
    /// The maximum number of characters in the argument `why`.
    private static let longestWhy = 200
}

extension RoomOutputs: TurnPart {
    package var methods: [any PartMethod] { [OutputsMethod(self, retainedTopics)] }

    /// Applies the new lines. Unchanged lines keep their outputs and counts. Outputs of removed lines are given up. Receivers
    /// that have answered that they want no more requests get requests again.
    package func reload(_ options: Options) {
        switches.forgetRejections()
        nodes = OutputNodes(options)
        guard options.room.onLines != onLines else { return }
        for journal in journals { processNotifications(of: journal) }
        let targets = targetNames
        onLines = options.room.onLines
        senders.prepare(for: outputLines.map(\.target))
        let fingerprints = onLines.fingerprints
        queue.giveUp(Self.lineRemoved) { !fingerprints.contains($0.line) }
        reportFinished()
        counts.replace(with: outputLines, targets: targets)
        alertLines.keepOnly(outputLines)
        for journal in journals { journal.watch(onLines) }
    }

    /// Makes the outputs of new changes, sends those whose changes are durable, and records the outcomes.
    package func flush() {
        recordAcknowledgements()
        // A daemon without outputs ends here, in each turn of its loop.
        if queue.isUnused, onLines.isEmpty { return }
        guard !onLines.isEmpty || !queue.isIdle || !queue.unwrittenJournals.isEmpty else {
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
        let targets = targetNames
        for target in targets.values { page.add(.outputsWaiting, [target], 0) }
        counts.write(targets, to: &page)
        for output in queue.outputs {
            page.add(.outputsWaiting, [targets[output.line] ?? OutputCounts.otherTarget], 1)
        }
    }

    /// The names of the lines' targets, by the fingerprints of the lines.
    private var targetNames: [UInt64: String] {
        Dictionary(
            outputLines.map { ($0.fingerprint, $0.target.name) },
            uniquingKeysWith: { first, _ in first })
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
            return line(output.line).map { !switches.areOn(for: $0.target.connection) } ?? true
        }
        reportFinished()
    }

    /// Makes one attempt that no change has asked for.
    func makeTestAttempt(
        _ content: any OutputContent, of line: OutputLine, _ timeout: Duration,
        _ done: @escaping (DeliveryResult) -> Void
    ) {
        let attempt = OutputAttempt(
            content, line: line.fingerprint, node: nodes.sender(of: line), timeout: timeout)
        senders.send(attempt, done)
    }
}

/// Sends outputs for other nodes, with the connections and programs of this node. `IncomingNodeLink` calls it.
extension RoomOutputs {
    /// Makes one attempt for another node, and calls `done` at most once. The other node repeats failed attempts and records
    /// the result; it writes `node NAME: ` before the reason of a failure.
    package func send(_ relayed: RelayedOutput, _ done: @escaping (DeliveryResult) -> Void) {
        guard let line = line(relayed.line), let content = relayed.content(for: line.target) else {
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
