package import EventLoop
package import GameFlow
import Inputs
package import Parts
import RPC
import Sessions
import Support
package import Timers

/// The inputs of the room: converts the inputs of the connections to events of sessions, as the `map` lines say. Connections
/// use the real clock, even if the sessions use the virtual one.
package final class RoomSource {
    /// Sends events to the sessions of this node and of other nodes.
    private let sender: any DeviceEventSender
    /// The present time on the clock of the sessions.
    private let now: () -> Instant
    private let loop: LibeventLoop
    package let connections: RoomConnections
    /// The `map` lines for these connections.
    private var maps: [InputMap] = []
    /// For each line in `maps`, in the same order: the object that applies the line's limits.
    private var lineLimits: [InputLineLimits] = []
    /// Finds connections and lines for which nothing arrives.
    private var quietWatch = QuietWatch()
    /// The `on` lines that send outputs, whose messages may come back.
    private var outputLines: [OutputLine] = []
    /// The limits of the server. `presses` is the maximum number of events per second of one `map` line.
    private var limits = ServerLimits()
    /// Whether inputs are read only to be dropped.
    private var dropsInputs = false
    /// Logs the 1st, 2nd, 4th, 8th … occurrence of each sentence. Counts up to 256 different sentences.
    private var log = LogThrottle(limit: 256)

    package init(
        _ options: Options, _ sender: any DeviceEventSender, _ alerts: AlertBoard,
        on loop: LibeventLoop, now: @escaping () -> Instant
    ) {
        (self.sender, self.loop, self.now) = (sender, loop, now)
        connections = RoomConnections(alerts, on: loop)
        connections.onInput = { [unowned self] in receive($0, $1) }
        reload(options)
    }

    // MARK: events

    private func receive(_ input: any RoomInput, _ connection: RoomConnection) {
        if dropsInputs {
            connection.statistics.dropped += 1
            return
        }
        let peer = input.peer
        let origin = connection.origin(of: input)
        var isMatched = false
        for index in maps.indices where maps[index].connection == connection.line.name {
            guard let values = maps[index].pattern.values(ofInput: input) else { continue }
            isMatched = true
            if maps[index].quiet != nil { quietWatch.matched(index, at: loop.timerQueue.now) }
            guard mayAccept(peer, for: index, connection) else {
                connection.statistics.dropped += 1
                continue
            }
            send(values, maps[index], peer, connection, origin)
        }
        guard !isMatched, !connection.isExpected(input) else { return }
        let text = input.shownText
        connection.statistics.recordUnmatched(peer, text, at: loop.timerQueue.now)
        sender.announce(
            UnmatchedInput(
                source: connection.line.name, kind: connection.line.word,
                device: String(peer.prefix(InputStatistics.textLimit)),
                text: String(text.prefix(InputStatistics.textLimit)), at: now()))
    }

    /// Whether the line `index` may send an event for an input of this peer. If a limit prevents it, logs this; the debounce
    /// time is no reason to log.
    private func mayAccept(_ peer: String, for index: Int, _ connection: RoomConnection) -> Bool {
        let map = maps[index]
        // `isFull` is tested before `decide` is called, because `decide` starts the debounce time. Otherwise the debounce time
        // of a dropped event would suppress the next input too.
        guard !sender.isFull else {
            logDrop(of: map, connection, "too many events wait")
            return false
        }
        let decision = lineLimits[index].decide(
            peer, at: loop.timerQueue.now, debounce: map.debounce, limit: limits.presses)
        switch decision {
        case .allowed: return true
        case .bounced: return false
        case .limited:
            logDrop(of: map, connection, "more than \(limits.presses) a second (limit presses)")
            return false
        }
    }

    private func logDrop(of map: InputMap, _ connection: RoomConnection, _ why: String) {
        log.write(
            .warning, .connection,
            "\(connection.line.word) \(map.connection): an input for \(map.event) was dropped: "
                + why)
    }

    private func send(
        _ values: InputValues, _ map: InputMap, _ peer: String, _ connection: RoomConnection,
        _ origin: InputOrigin?
    ) {
        let name = map.session.value(values)?.text ?? ""
        let recordOutcome = { [weak self, weak connection] (outcome: SentEvent.Outcome) in
            guard let self, let connection else { return }
            record(outcome, map, name, connection)
            if let origin { endOfLoop(outcome, map, origin, connection) }
        }
        guard let session = SessionName(name) else {
            return recordOutcome(.refused(map.event, .error("unknownSession")))
        }
        // They are converted later to the types that the event declares.
        var arguments: [Member] = []
        for argument in map.arguments {
            guard let member = argument.member(values) else {
                let why = "the input has no value for it"
                return recordOutcome(
                    .refused(map.event, .invalid(argument: argument.name, why: why)))
            }
            arguments.append(member)
        }
        var id: String?
        do throws(InputIDError) {
            id = try map.id.map { template throws(InputIDError) in
                try InputID.text(template, values, peer, connection.line.name)
            }
        } catch {
            return recordOutcome(
                .refused(map.event, .invalid(argument: "", why: "id: \(error.why)")))
        }
        sender.send(
            SentEvent(
                session: session, choice: .named(map.event), arguments: arguments,
                source: connection.source(peer, after: origin), id: id),
            recordOutcome)
    }

    // MARK: inputs of gamed itself

    /// Logs that an event was refused because its chain of steps is too long, and begins an alert that names the lines.
    private func endOfLoop(
        _ outcome: SentEvent.Outcome, _ map: InputMap, _ origin: InputOrigin,
        _ connection: RoomConnection
    ) {
        guard case .refused(_, let refusal) = outcome, refusal.name == "limit",
            origin.linkedSteps >= Source.linkedStepsLimit
        else { return }
        let (word, name) = (connection.line.word, connection.line.name)
        let condition = map.pattern.text
        let mapText = "map \(word)=\(name) \(condition) event=\(map.event)"
        let sentence =
            "the lines `\(text(of: origin.sender, connection))` and `\(mapText)` cause each other without an end; "
            + "the chain was ended after \(Source.linkedStepsLimit) steps"
        log.write(.warning, .connection, "\(word) \(name): \(sentence)")
        connections.alerts.begin(
            .connection, "\(name) \(condition)", "\(word) \(name): \(sentence).",
            endsWhenAcknowledged: true)
    }

    /// The line that has sent out an input, as far as it is known.
    private func text(of sender: InputOrigin.Sender, _ connection: RoomConnection) -> String {
        switch sender {
        case .line(let fingerprint):
            outputLines.first { $0.fingerprint == fingerprint }.map { "on \($0.text)" } ?? "on …"
        case .setting(let setting): "\(connection.line.word) \(connection.line.name) \(setting)=…"
        }
    }

    /// Counts the outcome of an event. `session` is the name that the `map` line composed.
    private func record(
        _ outcome: SentEvent.Outcome, _ map: InputMap, _ session: String,
        _ connection: RoomConnection
    ) {
        let outcomeName: String
        switch outcome {
        // Does not occur here, because a `map` line of the room always names the event. Only for a Bluetooth device does the
        // session's state decide which event is sent, and whether an event is sent.
        case .notSent: return
        case .repeated:
            connection.statistics.repeated += 1
            return
        case .accepted(_, let kind, _):
            connection.statistics.accepted += 1
            outcomeName = kind
        case .refused(_, let refusal):
            connection.statistics.refused += 1
            connection.statistics.lastRefusal = report(refusal, map)
            outcomeName = refusal.name
        }
        connection.statistics.lastEvent = SourceEvent(
            event: map.event, session: session, at: loop.timerQueue.now, outcome: outcomeName)
    }

    /// Returns a text about a refusal for operators. Logs it if the cause is a mistake in the configuration.
    private func report(_ refusal: EventRefusal, _ map: InputMap) -> String {
        let text = "\(map.event): \(refusal.name)\(refusal.reason)"
        if refusal.isMistake { log.write(.warning, .connection, "\(map.connection): \(text)") }
        return text
    }
}

extension RoomSource: Part {
    package func reload(_ options: Options) {
        limits = options.limits
        outputLines = options.room.onLines.outputs
        if options.room.inputs != maps {
            quietWatch.replace(maps, by: options.room.inputs, at: loop.timerQueue.now)
            maps = options.room.inputs
            lineLimits = maps.map { _ in InputLineLimits() }
        }
        // Without the lines that only other nodes use.
        connections.replace(by: options.ownConnections, maps)
    }

    package func dropInput() {
        dropsInputs = true
        for connection in connections.all { connection.inputConnection.readUnread() }
        dropsInputs = false
    }

    package func writeMetrics(to page: inout MetricsPage) {
        for connection in connections.all {
            page.add(
                .connectionUp, [connection.line.name, connection.line.word],
                connection.inputConnection.status.isUp ? 1 : 0)
        }
        for (name, totals) in connections.totals {
            page.add(.inputs, [name], totals.received)
            page.add(.inputsUnmatched, [name], totals.unmatched)
        }
    }

    package func stop() {
        for connection in connections.all { connection.inputConnection.stop {} }
    }
}

extension RoomSource: AlertedState {
    package func update(_ alerts: AlertBoard) {
        quietWatch.update(alerts, connections, maps, at: loop.timerQueue.now)
    }
}

extension RoomSource: SourceList {
    /// Describes the connections with this name, or all of them if `name` is nil, for the method `sources`.
    package func sources(named name: String?) -> [Value] {
        connections.all.filter { name == nil || $0.line.name == name }.map {
            $0.value(at: loop.timerQueue.now)
        }
    }
}
