import EventLoop
import GameFlow
import Inputs
import RPC
import Sessions
import Timers

/// The inputs of the room: opens the connections of the configuration, and converts inputs to events of sessions, as the `map`
/// lines say. Connections use the real clock, even if the sessions use the virtual one.
final class RoomSource {
    /// Sends events to the sessions of this node and of other nodes.
    private let sender: any DeviceEventSender
    /// The present time on the clock of the sessions.
    private let now: () -> Instant
    private let loop: LibeventLoop
    /// The connections of the configuration, in the order of their lines, whether they are up or down.
    private(set) var connections: [RoomConnection] = []
    /// The `map` lines for these connections.
    private var maps: [InputMap] = []
    /// For each line in `maps`, in the same order: the object that applies the line's limits.
    private var lineLimits: [InputLineLimits] = []
    /// The limits of the server. `presses` is the maximum number of events per second of one `map` line.
    private var limits = ServerLimits()
    /// Logs the 1st, 2nd, 4th, 8th … occurrence of each sentence. Counts up to 256 different sentences.
    private var log = LogThrottle(limit: 256)
    /// Called when a connection is made, is lost or cannot be made.
    var connectionObservers: [(_ connection: String, _ isUp: Bool) -> Void] = []
    /// Called with each message of a broker, and the name of the connection.
    var messageObserver: (_ connection: String, MQTTMessage) -> Void = { _, _ in }

    init(
        _ options: Options, _ sender: any DeviceEventSender, on loop: LibeventLoop,
        now: @escaping () -> Instant
    ) {
        (self.sender, self.loop, self.now) = (sender, loop, now)
        reload(options)
    }

    func connection(_ name: String) -> RoomConnection? {
        connections.first { $0.line.name == name }
    }

    // MARK: connections

    /// The topics that `MQTTPublisher` needs, which publishes the states of sessions, by the name of the connection.
    private var publisherTopics: [String: [String]] = [:]

    /// The topics to which the MQTT connection of this name subscribes.
    private func filters(of name: String) -> [String] {
        let mapFilters = maps.filter { $0.connection == name }.compactMap(\.filter)
        return MQTTTopic.removingCovered(mapFilters + (publisherTopics[name] ?? []))
    }

    /// Opens the connections of `lines`, and closes all connections that have no line there. A connection stays open if its
    /// line is unchanged.
    private func replaceConnections(_ lines: [ConnectionLine]) {
        let oldConnections = connections
        for connection in oldConnections where !lines.contains(connection.line) {
            connection.inputConnection.stop()
        }
        connections = lines.compactMap { line in
            if let unchanged = oldConnections.first(where: { $0.line == line }) {
                unchanged.broker?.subscribe(to: filters(of: line.name))
                return unchanged
            }
            return connect(line)
        }
    }

    /// Creates and starts the connection of a line; nil if the connection cannot be created. Once it is started, the
    /// connection is made again after each failure.
    private func connect(_ line: ConnectionLine) -> RoomConnection? {
        do throws(EventLoopError) {
            let connection = try RoomConnection(line, filters: filters(of: line.name), on: loop)
            connection.inputConnection.onInput = { [unowned self, unowned connection] in
                receive($0, connection)
            }
            connection.inputConnection.onChange = { [unowned self] in
                connectionChanged(line, failure: $0)
            }
            connection.inputConnection.start()
            return connection
        } catch {
            Log.write(.error, "\(line.kind.rawValue) \(line.name): \(error)")
            return nil
        }
    }

    /// Called when a connection was made, was lost, or cannot be made. `failure` is a sentence about the failure; nil if the
    /// connection was made. Logs the change and tells the observers.
    private func connectionChanged(_ line: ConnectionLine, failure: String?) {
        log.write(
            failure == nil ? .info : .warning,
            "\(line.kind.rawValue) \(line.name): \(failure ?? "connected")")
        for observer in connectionObservers { observer(line.name, failure == nil) }
    }

    // MARK: events

    private func receive(_ input: Input, _ connection: RoomConnection) {
        if case .message(let message) = input { messageObserver(connection.line.name, message) }
        let peer = connection.peer(of: input)
        var isMatched = false
        for index in maps.indices where maps[index].connection == connection.line.name {
            guard let match = InputMatch(input, maps[index].pattern) else { continue }
            isMatched = true
            // If the sender is full, the event must be dropped. `isFull` is tested before `allows` is called, because `allows`
            // starts the debounce time. Otherwise the debounce time of a dropped event would suppress the next input too.
            guard !sender.isFull,
                lineLimits[index].allows(
                    peer, at: loop.timerQueue.now, debounce: maps[index].debounce,
                    limit: limits.presses)
            else {
                connection.statistics.dropped += 1
                continue
            }
            send(match, maps[index], peer, connection)
        }
        guard !isMatched, !isForPublisher(input, connection) else { return }
        let text = input.shownText
        connection.statistics.recordUnmatched(peer, text, at: loop.timerQueue.now)
        sender.announce(
            UnmatchedInput(
                source: connection.line.name, kind: connection.line.kind.rawValue,
                device: String(peer.prefix(InputStatistics.textLimit)),
                text: String(text.prefix(InputStatistics.textLimit)), at: now()))
    }

    /// Whether the input is a message that only the publisher needs.
    private func isForPublisher(_ input: Input, _ connection: RoomConnection) -> Bool {
        guard case .message(let message) = input else { return false }
        return publisherTopics[connection.line.name]?.contains(message.topic) == true
    }

    private func send(
        _ match: InputMatch, _ map: InputMap, _ peer: String, _ connection: RoomConnection
    ) {
        // `match.value` is a function that returns the value of a placeholder.
        let name = map.session.value(match.value)?.text ?? ""
        let recordOutcome = { [weak self, weak connection] (outcome: SentEvent.Outcome) in
            guard let self, let connection else { return }
            record(outcome, map, name, connection)
        }
        guard let session = SessionName(name) else {
            return recordOutcome(.refused(map.event, EventRefusal("unknownSession")))
        }
        switch Self.arguments(of: map, match) {
        case .failure(let missing):
            recordOutcome(
                .refused(
                    map.event,
                    EventRefusal(
                        "invalid", invalid: (missing.name, "the input has no value for it"))))
        case .success(let arguments):
            sender.send(
                SentEvent(
                    session: session, choice: .named(map.event), arguments: arguments,
                    source: connection.source(peer)),
                recordOutcome)
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

    /// An argument whose value the input does not have.
    private struct MissingArgument: Error { let name: String }

    /// The arguments of an event, before they are converted to the types that the event declares.
    private static func arguments(of map: InputMap, _ match: InputMatch)
        -> Result<[Member], MissingArgument>
    {
        var arguments: [Member] = []
        for argument in map.arguments {
            guard let template = argument.template else {
                arguments.append(Member(argument.name, argument.value))
                continue
            }
            guard let value = template.value(match.value) else {
                return .failure(MissingArgument(name: argument.name))
            }
            arguments.append(Member(argument.name, value))
        }
        return .success(arguments)
    }

    /// Returns a text about a refusal for operators. Logs it if the cause is a mistake in the configuration.
    private func report(_ refusal: EventRefusal, _ map: InputMap) -> String {
        let text = "\(map.event): \(refusal.name)\(refusal.reason)"
        if refusal.isMistake { log.write(.warning, "\(map.connection): \(text)") }
        return text
    }
}

extension RoomSource: EventSource {
    func reload(_ options: Options) {
        limits = options.limits
        publisherTopics = [:]
        for line in options.connections {
            // Home Assistant announces its start in the topic `birthTopic`.
            var topics = line.broker?.hasDiscovery == true ? [MQTTPublisher.birthTopic] : []
            // All nodes share one status topic. When any node ends, the topic becomes `offline`; another node that reads this
            // publishes `online` again.
            if options.database != nil, let topic = line.broker?.statusTopic {
                topics.append(topic)
            }
            publisherTopics[line.name] = topics
        }
        if options.inputMaps != maps {
            maps = options.inputMaps
            lineLimits = maps.map { _ in InputLineLimits() }
        }
        // Without the lines that only other nodes use.
        replaceConnections(options.ownConnections)
    }

    /// Does nothing, because events are sent as soon as their inputs arrive.
    func flush() {}

    func writeMetrics(to page: inout MetricsPage) {
        guard !connections.isEmpty else { return }
        let statuses = connections.map(\.inputConnection.status)
        page.gauge(
            "gamed_room_connections_up", "Connections to devices of the room that are up.",
            statuses.count(where: \.isUp))
        page.counter(
            "gamed_room_inputs", "Inputs from devices of the room.",
            statuses.reduce(0) { $0 + $1.received })
        let counts = connections.map(\.statistics)
        page.counter(
            "gamed_room_events", "Inputs that sessions accepted as events.",
            counts.reduce(0) { $0 + $1.accepted })
        page.counter(
            "gamed_room_refusals", "Inputs that sessions refused.",
            counts.reduce(0) { $0 + $1.refused })
        page.counter(
            "gamed_room_unmatched", "Inputs that no `map` line matched.",
            counts.reduce(0) { $0 + $1.unmatched })
    }

    func stop() {
        for connection in connections { connection.inputConnection.stop() }
    }
}

extension RoomSource: SourceRegistry {
    func sources(named name: String?) -> [Value]? {
        let matching = connections.filter { name == nil || $0.line.name == name }
        if matching.isEmpty, name != nil { return nil }
        return matching.map { $0.value(at: loop.timerQueue.now) }
    }
}
