import Durability
import EventLoop
import GameFlow
import Outputs
import RPC
import Sessions
import Timers

/// The outputs of the room: sends what the `on` lines ask for, after the changes are durable.
final class RoomOutputs {
    let sessions: Sessions
    let loop: LibeventLoop
    private let room: RoomSource
    private let senders: OutputSenders
    let instance: String
    private var onLines = OnLines()
    private var lines: [OutputLine] { onLines.outputs }
    private(set) var statistics: [UInt64: OutputStatistics] = [:]
    /// Whether outputs are on, and the connections for which they are off.
    private(set) var isOn: Bool
    private var off: Set<String> = []
    /// The lines whose receiver wants no more requests.
    private var rejected: Set<UInt64> = []
    private var queue = OutputQueue<OutputMessage>()
    /// Changes that were announced in this turn of the loop, or before what an earlier start left was read.
    private var announced: [Notification] = []
    /// Reads what an earlier start left; nil when that is done.
    private var recovery: OutputRecovery?
    private var wake: ScopedCountdown?
    /// The number of refusals since the start, and a text that tells the starts of one instance apart. Both are part of the
    /// ids of their outputs, because a refusal has no number of its own.
    private var refusals = 0
    private let startID = String(UInt64.random(in: .min ... .max), radix: 36)
    private var log = LogThrottle(limit: 256)

    init(
        _ options: Options, _ sessions: Sessions, _ room: RoomSource, on loop: LibeventLoop,
        instance: String
    ) throws(EventLoopError) {
        (self.sessions, self.room, self.loop, self.instance) = (sessions, room, loop, instance)
        senders = try OutputSenders(room, on: loop)
        isOn = options.sendsOutputs ?? !options.isVirtual
        reload(options)
    }

    /// Applies the lines to the changes of an earlier start that have no record of a delivery.
    func recover(_ recovery: OutputRecovery) {
        guard !lines.isEmpty else { return }
        self.recovery = recovery
        recovery.read(composer) { [unowned self] found in
            self.recovery = nil
            for case (let output, let why?) in found { queue.giveUp(output, why) }
            add(found.filter { $0.obstacle == nil }.map(\.output), after: sessions.durableRow)
            flush()
        }
    }

    private var composer: OutputComposer { OutputComposer(onLines, instance: instance) }

    /// The changes that are not durable were rolled back, so nothing of them may be sent.
    func rolledBack() {
        let durable = sessions.durableRow
        announced.removeAll { $0.row > durable }
        queue.rollBack(to: durable)
    }

    // MARK: changes

    private func takeAnnounced() {
        guard recovery == nil else { return }
        for notification in exchange(&announced, with: []) {
            switch notification.content {
            case .change(let change): take(change, notification.row)
            case .refused(let refused): take(refused, notification.row)
            case .beat, .gap, .input, .stuck: break
            }
        }
    }

    private func take(_ change: Change, _ row: Int) {
        if case .undo(let from, let to) = change.order, from <= to {
            queue.undo(change.session, from...to, after: row)
        }
        let session = try? sessions.session(change.session)
        let outputs = composer.outputs(
            of: change, flow: session?.flow.name ?? "", labels: session?.labels ?? [])
        add(outputs, after: row)
    }

    private func take(_ refused: RefusedEvent, _ row: Int) {
        guard lines.contains(where: { $0.trigger == .refused }),
            let status = (try? sessions.session(refused.session))?.status
        else { return }
        refusals += 1
        let occasion = OutputOccasion(.refused(refused.event), status, pos: sessions.pos)
        add(composer.outputs(of: occasion, number: "\(startID)-\(refusals)"), after: row)
    }

    /// A session has become stuck in its present entry.
    func becameStuck(_ session: Session) {
        guard lines.contains(where: { $0.trigger == .stuck }) else { return }
        let occasion = OutputOccasion(.stuck, session.status, pos: sessions.pos)
        let outputs = composer.outputs(ofStuck: occasion)
        let row = sessions.row(of: session)
        add(outputs, after: max(row, accept(outputs) ?? 0), change: row)
    }

    /// Records outputs that no change asks for, so that a restart finds them. Returns the row, or nil if nothing is recorded.
    private func accept(_ outputs: [Output<OutputMessage>]) -> Int? {
        let records = outputs.compactMap { output in
            output.origin.map {
                DeliveryRecord($0.key, number: $0.number, acceptedFor: $0.session)
            }
        }
        guard !records.isEmpty, sessions.isRecorded else { return nil }
        return sessions.recordDeliveries(records)
    }

    /// Queues outputs until this row is durable. `change` is the row of what asks for them, if that is an earlier one. Of
    /// outputs that are sent only once it is recorded before that they are about to be.
    private func add(_ outputs: [Output<OutputMessage>], after row: Int, change: Int? = nil) {
        var started = row
        let starts = outputs.filter(\.isOnce).compactMap { $0.origin?.record(.started) }
        if !starts.isEmpty, sessions.isRecorded {
            // Without a row the store has failed, and the change is rolled back.
            started = max(row, sessions.recordDeliveries(starts) ?? .max)
        }
        let now = loop.timerQueue.now
        for output in outputs {
            let output = output.made == nil ? output.made(at: now) : output
            queue.add(output, after: started, change: change ?? row)
        }
    }

    // MARK: deliveries

    private func isOn(_ connection: String) -> Bool { isOn && !off.contains(connection) }

    private func commit() {
        queue.commit(upTo: sessions.durableRow, at: loop.timerQueue.now) { [unowned self] output in
            guard let line = line(output.line) else { return false }
            return isOn(line.target.connection) && !rejected.contains(output.line)
        }
    }

    private func line(_ fingerprint: UInt64) -> OutputLine? {
        lines.first { $0.fingerprint == fingerprint }
    }

    /// Makes the attempts that are due, and sets the timer for the next ones.
    private func run() {
        while true {
            let due = queue.due(at: loop.timerQueue.now)
            if due.isEmpty { break }
            for output in due { attempt(output) }
        }
        wake = queue.nextWake.map { next in
            ScopedCountdown(on: loop, max(.zero, next - loop.timerQueue.now)) { [unowned self] in
                run()
                report()
            }
        }
    }

    /// An attempt that ends at once lets `run` go on with the next output; one that ends later is followed by `flush`.
    private func attempt(_ output: Output<OutputMessage>) {
        guard let content = output.content.content else {
            return queue.ended(
                output.id, of: output.target, .rejected(OutputMessage.unfit),
                at: loop.timerQueue.now)
        }
        senders.send(content, timeout: output.timeout) { [unowned self] result in
            switch result {
            case .delivered: break
            case .failed(let why): statistics[output.line]?.fail(why)
            case .rejected(let why):
                statistics[output.line]?.fail(why)
                rejected.insert(output.line)
            }
            queue.ended(output.id, of: output.target, result, at: loop.timerQueue.now)
        }
    }

    /// Counts and reports what is finished, and records it.
    private func report() {
        for one in queue.takeFinished() {
            let output = one.output
            switch one.outcome {
            case .delivered: statistics[output.line]?.deliver()
            case .withheld:
                statistics[output.line]?.withhold()
                log.write(
                    .info,
                    "\(output.target): \(one.why); not sent: \(output.content.content?.shown ?? "")"
                )
            case .givenUp, .started, .accepted:
                statistics[output.line]?.giveUp(
                    output.id, one.why, atMs: Int(sessions.now.milliseconds))
                log.write(.warning, "\(output.target): an output is given up: \(one.why)")
                tell(output, one.why)
            }
        }
        let records = queue.unwritten
        guard !records.isEmpty else { return }
        guard sessions.isRecorded else { return queue.wrote(in: nil) }
        if let row = sessions.recordDeliveries(records) { queue.wrote(in: row) }
    }

    /// Sends the event `outputFailed` to the session that asked for an output, if its flow has that event.
    private func tell(_ output: Output<OutputMessage>, _ why: String) {
        guard let origin = output.origin, let session = try? sessions.session(origin.session),
            let form = session.flow.events.first(where: { $0.name == Self.failureEvent })
        else { return }
        let given = [
            Member("effect", output.content.effect),
            Member("why", String(why.prefix(Self.longestWhy))),
        ]
        let arguments = given.filter { member in
            form.parameters.contains { $0.name == member.name }
        }
        _ = try? sessions.send(
            Self.failureEvent, arguments, to: session,
            RequestContext(from: Source(.output, peer: .device(output.target))))
    }

    static let failureEvent = "outputFailed"
    /// The number of characters of a reason that an event carries.
    private static let longestWhy = 200
}

extension RoomOutputs: Watcher {
    func notify(_ notification: Notification) { announced.append(notification) }

    func ended(_ session: SessionName) {}
}

extension RoomOutputs: EventSource {
    /// Unchanged lines keep their outputs and counts; waiting outputs of removed lines are given up.
    func reload(_ options: Options) {
        rejected = []
        guard options.onLines != onLines else { return }
        takeAnnounced()
        onLines = options.onLines
        let known = Set(lines.map(\.fingerprint))
        queue.giveUp("its line was removed") { !known.contains($0.line) }
        report()
        statistics = Dictionary(
            uniqueKeysWithValues: lines.map {
                ($0.fingerprint, statistics[$0.fingerprint] ?? OutputStatistics())
            })
        watch()
    }

    private func watch() {
        guard !lines.isEmpty else {
            try? sessions.unwatch(.all, by: self)
            return
        }
        let wantsRefusals = lines.contains { $0.trigger == .refused }
        let topics: Topics = wantsRefusals ? [.changes, .refusals] : .changes
        _ = try? sessions.watch(.all, topics, by: self)
    }

    func flush() {
        guard !lines.isEmpty || queue.waiting > 0 else { return }
        // Reporting a failure to a session may cause further outputs.
        for _ in 0..<Self.roundsPerTurn {
            takeAnnounced()
            commit()
            run()
            report()
            if announced.isEmpty { break }
        }
    }

    private static let roundsPerTurn = 16

    func writeMetrics(to page: inout MetricsPage) {
        guard !lines.isEmpty else { return }
        let counts = lines.compactMap { statistics[$0.fingerprint] }
        page.counter(
            "gamed_outputs_delivered", "Outputs that were delivered.",
            counts.reduce(0) { $0 + $1.delivered })
        page.counter(
            "gamed_outputs_given_up", "Outputs that were given up.",
            counts.reduce(0) { $0 + $1.givenUp })
        page.counter(
            "gamed_outputs_withheld", "Outputs not sent because outputs are off.",
            counts.reduce(0) { $0 + $1.withheld })
        page.gauge("gamed_outputs_waiting", "Outputs that wait.", queue.waiting)
        page.gauge("gamed_outputs_on", "1 while outputs are on.", isOn ? 1 : 0)
    }

    func stop() {
        guard queue.waiting > 0 else { return }
        let fate =
            sessions.isRecorded
            ? "the next start sends those that are not too old" : "they are lost"
        Log.write(.warning, "\(queue.waiting) outputs wait: \(fate)")
    }
}

extension RoomOutputs: OutputRegistry {
    func outputs() -> [Member] {
        let waiting = queue.outputs
        let shown = lines.enumerated().map { index, line -> Value in
            let state =
                rejected.contains(line.fingerprint)
                ? "rejected" : isOn(line.target.connection) ? "on" : "off"
            let members = [
                Member("line", index + 1), Member("text", line.text),
                Member("target", line.target.name), Member("connection", line.target.connection),
                Member("state", state),
                Member("waiting", waiting.count { $0.line == line.fingerprint }),
            ]
            return .object(members + (statistics[line.fingerprint]?.members ?? []))
        }
        return [
            Member("on", .bool(isOn)), Member("recovering", .bool(recovery != nil)),
            Member("outputs", .array(shown)),
        ]
    }

    func setOutputs(on: Bool, connection: String?) -> Bool {
        if let connection {
            guard lines.contains(where: { $0.target.connection == connection }) else {
                return false
            }
            if on { off.remove(connection) } else { off.insert(connection) }
        } else {
            isOn = on
            off = []
        }
        Log.write(
            .warning, "outputs\(connection.map { " of \($0)" } ?? "") are \(on ? "on" : "off")")
        queue.giveUp("outputs are off") { [unowned self] output in
            line(output.line).map { !isOn($0.target.connection) } ?? true
        }
        report()
        return true
    }

    func testOutput(
        _ name: String, _ done: @escaping (Result<[Member], OutputTestError>) -> Void
    ) {
        let number = Int(name)
        let found = lines.enumerated().first { index, line in
            if let number { return index + 1 == number }
            guard case .effect(let glob) = line.trigger else { return false }
            return glob.matches(name)
        }
        guard let (index, line) = found else { return done(.failure(.unknown(name))) }
        guard isOn(line.target.connection) else { return done(.failure(.off)) }
        let effect = EffectRecord(name: number == nil ? name : "test")
        guard let status = sessions.list(limit: 1).sessions.first?.status,
            let content = line.target.content(
                of: OutputOccasion(.effect(effect), status, pos: sessions.pos, isTrial: true),
                id: "\(instance):\(status.name.text):test:\(Int.random(in: 1...1_000_000))")
        else { return done(.failure(.unfit)) }
        var isDone = false
        var deadline: ScopedCountdown?
        let end = { (why: String?) in
            guard !exchange(&isDone, with: true) else { return }
            deadline = nil
            let result = why.map { [Member("failure", $0)] } ?? []
            done(
                .success(
                    [
                        Member("line", index + 1), Member("target", line.target.name),
                        Member("sent", content.shown), Member("delivered", .bool(why == nil)),
                    ] + result))
        }
        let timeout = min(line.timeout, DeliveryLimit.programTimeout)
        deadline = ScopedCountdown(on: loop, timeout) { end("no answer in time") }
        senders.send(content, timeout: timeout) { result in
            switch result {
            case .delivered: end(nil)
            case .failed(let why), .rejected(let why): end(why)
            }
        }
        _ = deadline
    }
}
