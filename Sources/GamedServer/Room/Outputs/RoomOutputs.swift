import Durability
import EventLoop
import GameFlow
import Inputs
import Outputs
import Sessions
import Timers

/// The outputs of the room: sends what the `on` lines ask for, after the changes are durable.
///
/// Outputs that wait are not kept over a restart: they are lost, and no output is sent a second time after one.
final class RoomOutputs {
    private typealias Waiting = (
        row: Int, line: Int, number: Int, occasion: OutputOccasion
    )

    private let sessions: Sessions
    private let room: RoomSource
    private let loop: LibeventLoop
    private let instance: String
    private var lines: [OutputLine] = []
    private var isOn: Bool
    /// The outputs of changes that are not durable yet.
    private var uncommitted: [Waiting] = []
    private var machine = DeliveryMachine<OutputLine.Content>()
    private var wake: ScopedCountdown?
    /// The messages that wait for a broker's acknowledgement: the connection, the packet's id, and the output.
    private var unacknowledged: [String: (packet: UInt16, id: String)] = [:]
    private var log = LogThrottle(limit: 256)
    private var (delivered, givenUp, suppressed) = (0, 0, 0)

    init(
        _ options: Options, _ sessions: Sessions, _ room: RoomSource, on loop: LibeventLoop,
        instance: String
    ) {
        (self.sessions, self.room, self.loop, self.instance) = (sessions, room, loop, instance)
        isOn = options.sendsOutputs ?? !options.isVirtual
        reload(options)
    }

    private func say(_ sentence: String) { log.write(.warning, sentence) }

    /// The changes that are not durable were rolled back, so nothing of them may be sent.
    func rolledBack() { uncommitted = uncommitted.filter { $0.row <= sessions.durableRow } }

    private func release() {
        guard !uncommitted.isEmpty else { return }
        let durable = sessions.durableRow
        let ready = uncommitted.prefix { $0.row <= durable }
        guard !ready.isEmpty else { return }
        uncommitted.removeFirst(ready.count)
        for output in ready { add(output) }
    }

    private func add(_ waiting: Waiting) {
        guard waiting.line < lines.count else { return }
        let line = lines[waiting.line]
        guard let content = line.content(waiting.occasion) else {
            givenUp += 1
            return say(
                "\(line.targetName): an output of \(waiting.occasion.session.text) is given up: a value is missing, too long, or has a character that separates"
            )
        }
        guard isOn else {
            suppressed += 1
            return say("\(line.targetName): outputs are off; not sent: \(content)")
        }
        machine.add(
            Output(
                id:
                    "\(instance):\(waiting.occasion.session.text):\(waiting.occasion.pos):\(waiting.number)",
                target: line.targetName, line: waiting.line, committed: loop.timerQueue.now,
                maxAge: line.maxAge, isOnce: line.isOnce, content: content))
    }

    // MARK: deliveries

    /// Makes the attempts that are due, and sets the timer for the next ones.
    private func run() {
        guard machine.waiting > 0 else { return }
        while true {
            let now = loop.timerQueue.now
            let due = machine.due(at: now)
            if due.isEmpty { break }
            for output in due { attempt(output, now) }
        }
        for given in machine.takeGivenUp() {
            givenUp += 1
            say("\(given.output.target): an output is given up: \(given.why)")
        }
        wake = machine.nextWake.map { next in
            ScopedCountdown(on: loop, max(.zero, next - loop.timerQueue.now)) { [unowned self] in
                run()
            }
        }
    }

    private func attempt(_ output: Output<OutputLine.Content>, _ now: Instant) {
        let name = lines.indices.contains(output.line) ? lines[output.line].connection : ""
        let connection = room.connection(name)
        let failure: String?
        switch output.content {
        case .mqtt(let message):
            if let broker = connection?.broker, let packet = broker.publish(message) {
                broker.onAcknowledged = { [unowned self] in acknowledged(output.target, $0) }
                // Delivered when the broker acknowledges it.
                unacknowledged[output.target] = (packet, output.id)
                return
            }
            failure = "the connection is down"
        case .osc(let message, let host, let port):
            let socket = connection?.connection as? OSCConnection
            failure = socket.map { $0.send(message, toHost: host, port: port) } ?? "no connection"
        case .serial(let text):
            let serial = connection?.connection as? SerialConnection
            failure = serial.map { $0.write(text) } ?? "no connection"
        }
        if failure == nil { delivered += 1 }
        machine.ended(
            output.id, of: output.target, failure.map { .failed($0) } ?? .delivered, at: now)
    }

    private func acknowledged(_ target: String, _ packet: UInt16) {
        guard let waiting = unacknowledged[target], waiting.packet == packet else { return }
        unacknowledged[target] = nil
        delivered += 1
        machine.ended(waiting.id, of: target, .delivered, at: loop.timerQueue.now)
        run()
    }
}

extension RoomOutputs: Watcher {
    func notify(_ notification: Notification) {
        guard case .change(let change) = notification.content else { return }
        var number = 0
        let session = try? sessions.session(change.session)
        for (index, line) in lines.enumerated() {
            let occasions = line.occasions(
                in: change, flow: session?.flow.name ?? "", labels: session?.labels ?? [])
            for occasion in occasions {
                number += 1
                uncommitted.append((notification.row, index, number, occasion))
            }
        }
    }

    func ended(_ session: SessionName) {}
}

extension RoomOutputs: EventSource {
    func reload(_ options: Options) {
        guard options.outputs != lines else { return }
        // Lines are known by their number, so all waiting outputs end with the old lines.
        machine.giveUp("the lines have changed") { _ in true }
        uncommitted = []
        lines = options.outputs
        if lines.isEmpty {
            try? sessions.unwatch(.all, by: self)
        } else {
            _ = try? sessions.watch(.all, by: self)
        }
        run()
    }

    func flush() {
        release()
        run()
    }

    func writeMetrics(to page: inout MetricsPage) {
        guard !lines.isEmpty else { return }
        page.counter("gamed_outputs_delivered", "Outputs that were delivered.", delivered)
        page.counter("gamed_outputs_given_up", "Outputs that were given up.", givenUp)
        page.counter(
            "gamed_outputs_suppressed", "Outputs not sent because outputs are off.", suppressed)
        page.gauge("gamed_outputs_waiting", "Outputs that wait.", machine.waiting)
    }

    func stop() {
        guard machine.waiting > 0 else { return }
        Log.write(.warning, "\(machine.waiting) outputs are given up: the daemon ends")
    }
}
