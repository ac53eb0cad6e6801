import Durability
import GameFlow
import Journal
import Outputs
import Sessions
import TestSupport
import Timers

/// The queue of outputs and its targets, over all runs of the daemon. A target may fail, answer late or never answer. Checks
/// that each output is sent in order, not too late, and only when its change is durable. Also checks that each output is
/// delivered or given up.
final class SimulatedOutputs {
    private var random: SeededRandom
    private var queue = OutputQueue<Int>()
    private weak var sessions: Sessions?
    /// The notifications of this turn. At the end of the turn, outputs are made from these notifications.
    private var newNotifications: [Notification] = []
    /// The outputs that were sent to a target that will answer late.
    private var hangingOutputs: [Output<Int>] = []
    /// The outputs of all runs that were delivered.
    private var deliveredKeys: Set<DeliveryRecord.Key> = []
    /// The outputs of all runs that were given up.
    private var givenUpKeys: Set<DeliveryRecord.Key> = []
    /// The number of attempts to send each output.
    private var attemptCounts: [DeliveryRecord.Key: Int] = [:]
    /// For each target, the newest output that the target has received. `pos` is the position of the output's change, and
    /// `number` is the output's number among the outputs of this change.
    private var newestDelivery: [String: (pos: Int, number: Int)] = [:]
    private(set) var counts = Counts()

    private static let maxAge = Duration.seconds(10)
    /// The number of the simulated configuration line that asks for an output for every entry.
    private static let line: UInt64 = 7
    /// The number of the simulated configuration line that asks for an output for every stuck session.
    private static let alarmLine: UInt64 = 8

    private let fault: InjectedFault

    init(_ seed: UInt64, _ fault: InjectedFault) {
        (random, self.fault) = (SeededRandom(seed ^ 0x5EED), fault)
    }

    /// One output for every change that enters a state. The outputs of a third of the sessions are sent at most once.
    private static func compose(_ change: Change, _ flow: String, _ labels: [Member])
        -> [Output<Int>]
    {
        guard change.kind.isEntry else { return [] }
        let targetNumber = change.session.text.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) % 3 }
        let key = DeliveryRecord.Key(pos: change.pos, line: line, occasion: 0)
        return [
            Output(
                id: "\(change.session.text):\(change.pos):1", target: "target \(targetNumber)",
                line: line, origin: OutputOrigin(change.session, seq: change.seq, key, number: 1),
                maxAge: maxAge, isOnce: targetNumber == 2, content: change.pos)
        ]
    }

    /// The output for a session that is stuck in an entry. No change asks for this output.
    private static func alarm(_ key: DeliveryRecord.Key, _ session: SessionName) -> Output<Int> {
        Output(
            id: "\(session.text):s\(key.pos):1", target: "alarm", line: alarmLine,
            origin: OutputOrigin(session, seq: 0, key, number: 1), maxAge: maxAge, content: key.pos)
    }

    /// Starts a run of the daemon with these rows.
    func start(_ sessions: Sessions, _ rows: [JournalRow], lastAlive: Instant?) {
        self.sessions = sessions
        (queue, newNotifications, hangingOutputs) = (OutputQueue(), [], [])
        var unsent = UnsentOutputs(Self.compose) { Self.alarm($0.record.key, $0.session) }
        // An hour is much longer than the maximum age. While the store is down, the outcomes of outputs are not recorded. So
        // rows that are older than the maximum age may have outputs without an outcome.
        let start = (lastAlive ?? .zero) + .nanoseconds(-Duration.seconds(3600).nanoseconds)
        for row in rows where row.atNs >= start.nanoseconds {
            if let record = try? row.record() { unsent.add(record) }
        }
        for decision in unsent.decisions(isRealTime: true) where fault != .unsentOutputsIgnored {
            switch decision {
            case .giveUp(let output, let why): queue.giveUp(output, why)
            case .send(let output, let at):
                add(output.made(at: at, isCommitted: true), after: sessions.durableRow)
            }
        }
        counts["outputs left by a crash"] += unsent.decisions(isRealTime: true).count
        _ = try? sessions.watch(.all, by: self)
    }

    private func add(_ output: Output<Int>, after row: Int) {
        // An output with only one attempt waits until the row that records the attempt is durable. If the attempt cannot be
        // recorded, the output waits for ever (`.max`).
        var startedRow = row
        if output.isOnce, let origin = output.origin {
            startedRow = max(row, sessions?.recordDeliveries([origin.record(.started)]) ?? .max)
        }
        queue.add(output, after: startedRow, change: row)
    }

    func rollBack() {
        guard let sessions else { return }
        newNotifications.removeAll { $0.row > sessions.durableRow }
        queue.rollBack(to: sessions.durableRow)
    }

    /// Ends a turn of the event loop, before its rows are written.
    func endTurn(_ journal: JournalReader) throws(InvariantViolation) {
        guard let sessions else { return }
        for notification in exchange(&newNotifications, with: []) { addOutputs(of: notification) }
        endHangingAttempt()
        let row = fault == .outputsBeforeCommit ? .max : sessions.durableRow
        queue.commit(upTo: row, at: sessions.now)
        for output in queue.due(at: sessions.now) { try attempt(output, journal, sessions.now) }
        report()
    }

    private func addOutputs(of notification: Notification) {
        guard case .change(let change) = notification.content else { return }
        if let changes = change.undone {
            queue.undo(change.session, changes, after: notification.row)
        }
        for output in Self.compose(change, "", []) {
            add(output.made(at: change.at), after: notification.row)
        }
        if change.kind.isEntry, change.pos % 5 == 0 { addAlarm(change, notification.row) }
    }

    /// Records an output for a session that is stuck in its new entry, and queues it.
    private func addAlarm(_ change: Change, _ row: Int) {
        let key = DeliveryRecord.Key(pos: change.pos, line: Self.alarmLine, occasion: 0)
        let record = DeliveryRecord(key, number: 1, acceptedFor: change.session)
        guard let sessions, let acceptedRow = sessions.recordDeliveries([record]) else { return }
        let output = Self.alarm(key, change.session).made(at: change.at)
        queue.add(output, after: max(row, acceptedRow), change: row)
        counts["outputs of stuck sessions"] += 1
    }

    private func attempt(_ output: Output<Int>, _ journal: JournalReader, _ now: Instant)
        throws(InvariantViolation)
    {
        guard let key = output.origin?.key, let made = output.madeAt else { return }
        counts["attempts of outputs"] += 1
        attemptCounts[key, default: 0] += 1
        try expect(now - made <= output.maxAge, "output \(output.id) is sent after its maximum age")
        try expect(
            journal.change(at: key.pos) != nil,
            "output \(output.id) is sent before its change is durable"
        )
        try expect(
            !output.isOnce || attemptCounts[key] == 1, "output \(output.id) is sent more than once")
        switch random.below(4) {
        case 0: break  // The target never answers, so the queue ends the attempt.
        case 1: hangingOutputs.append(output)
        case 2: finish(output, .failed("refused"), now)
        default: try deliver(output, now)
        }
    }

    private func deliver(_ output: Output<Int>, _ now: Instant) throws(InvariantViolation) {
        guard let origin = output.origin else { return }
        let position = (pos: origin.key.pos, number: origin.number)
        if deliveredKeys.insert(origin.key).inserted {
            counts["outputs delivered"] += 1
            let last = newestDelivery[output.target] ?? (0, 0)
            try expect(position > last, "output \(output.id) arrives after a later one")
            newestDelivery[output.target] = position
        } else {
            counts["outputs delivered again"] += 1
        }
        finish(output, .delivered, now)
    }

    private func finish(_ output: Output<Int>, _ result: DeliveryResult, _ now: Instant) {
        queue.attemptEnded(output.id, of: output.target, result, at: now)
    }

    /// In one of three turns, answers the oldest attempt that waits for a late answer.
    private func endHangingAttempt() {
        guard let sessions, !hangingOutputs.isEmpty, random.below(3) == 0 else { return }
        finish(hangingOutputs.removeFirst(), .failed("late"), sessions.now)
    }

    /// Counts the outputs that were given up, and records the outcomes of finished outputs.
    private func report() {
        for finished in queue.takeFinished() where finished.outcome == .givenUp {
            counts["outputs given up"] += 1
            if let key = finished.output.origin?.key { givenUpKeys.insert(key) }
        }
        guard let sessions, !queue.unwrittenRecords().isEmpty,
            let row = sessions.recordDeliveries(queue.unwrittenRecords())
        else { return }
        queue.recordsWritten(in: row)
    }

    /// Checks the outputs that the rows on the disk ask for: each was delivered or given up, or is still queued.
    func check(_ rows: [JournalRow]) throws(InvariantViolation) {
        if let sessions { queue.commit(upTo: sessions.durableRow, at: sessions.now) }
        report()
        let waiting = Set(queue.outputs.compactMap { $0.origin?.key })
        for row in rows {
            guard let record = try? row.record() else { continue }
            for output in Self.outputs(of: record) {
                guard let key = output.origin?.key else { continue }
                try expect(
                    deliveredKeys.contains(key) || givenUpKeys.contains(key)
                        || waiting.contains(key),
                    "output \(output.id) was neither delivered nor given up")
            }
        }
    }

    /// The outputs that a record asks for. The record of a change asks for the outputs of the change. A record of deliveries
    /// asks for the outputs of its stuck sessions.
    private static func outputs(of record: SessionRecord) -> [Output<Int>] {
        switch record.body {
        case .change: record.change(view: nil).map { compose($0, "", []) } ?? []
        case .deliveries(let deliveries):
            deliveries.compactMap { delivery in delivery.session.map { alarm(delivery.key, $0) } }
        default: []
        }
    }
}

extension SimulatedOutputs: Watcher {
    func notify(_ notification: Notification) { newNotifications.append(notification) }
    func ended(_ session: SessionName) {}
}
