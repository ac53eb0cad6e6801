import EventLoop
import GameFlow
import Inputs
import Net
import Support
import Timers

/// A connection to devices of the room, and the counts of its inputs. Each `mqtt`, `osc`, `serial` or `evdev` line of the
/// configuration names one connection. `RoomSource` creates the connections, and converts their inputs to events.
final class RoomConnection {
    let line: ConnectionLine
    /// Receives the inputs, such as MQTT messages or pressed keys.
    let inputConnection: any InputConnection
    var statistics = InputStatistics()
    /// The messages that were published on an MQTT connection a short time ago.
    var published = PublishedMessages()
    /// The MQTT connection; nil for a connection of another kind.
    var broker: MQTTConnection? { inputConnection as? MQTTConnection }
    /// A cache of the source of each peer. The cache is emptied when it has `sourceLimit` entries, because devices can use any
    /// number of topics or addresses.
    private var sources: [ByteText: Source] = [:]
    private static let sourceLimit = 1024

    /// `filters` are the topic filters to which an MQTT connection subscribes; other kinds of connections ignore them.
    init(_ line: ConnectionLine, filters: [String], on loop: LibeventLoop) throws(EventLoopError) {
        self.line = line
        switch line.endpoint {
        case .mqtt(let endpoint):
            var security: TLSClientContext?
            if endpoint.isSecure {
                do throws(TLSClientError) {
                    security = try TLSClientContext(authorities: endpoint.authorities)
                } catch { throw .unavailable(error.why) }
            }
            inputConnection = try MQTTConnection(
                host: endpoint.host, port: endpoint.port, endpoint.login, security: security,
                filters: filters, on: loop)
        case .osc(let host, let port):
            inputConnection = OSCConnection(host: host, port: port, on: loop)
        case .serial(let path, let baud, let end):
            inputConnection = SerialConnection(path: path, baud: baud, end: end, on: loop)
        case .evdev(let device, let isGrabbed):
            inputConnection = EvdevConnection(device, isGrabbed: isGrabbed, on: loop)
        }
    }

    /// The name of the peer that sent an input. The source of the input's event contains this name. It is an MQTT topic, the
    /// address of an OSC sender, the name of a serial connection, or the path or name of an evdev device.
    func peer(of input: Input) -> String {
        switch input {
        case .message(let message): return message.topic
        case .osc(_, let sender): return sender
        case .line: return line.name
        case .key:
            guard case .evdev(let device, _) = line.endpoint else { return line.name }
            switch device {
            case .path(let path): return path
            case .named(let name): return name
            }
        }
    }

    /// The source of the events of a peer.
    func source(_ peer: String) -> Source {
        let key = ByteText(peer)
        if let knownSource = sources[key] { return knownSource }
        if sources.count >= Self.sourceLimit { sources = [:] }
        let newSource = Source(line.kind.sourceKind, peer: .device(peer))
        sources[key] = newSource
        return newSource
    }

    /// The description of the connection that the method `sources` returns. `now` is on the loop's clock.
    func value(at now: Instant) -> Value {
        let status = inputConnection.status
        var members = [
            Member("source", line.name), Member("kind", line.kind.rawValue),
            Member("state", status.isUp ? "up" : "down"),
            Member("forMs", Int((now - status.since).milliseconds)),
        ]
        if let lastSeen = status.lastSeen {
            members.append(Member("heardMs", Int((now - lastSeen).milliseconds)))
        }
        if let problem = status.lastError { members.append(Member("problem", problem)) }
        for (name, count) in [
            ("received", status.received), ("sent", status.sent), ("taken", statistics.accepted),
            ("refused", statistics.refused), ("dropped", statistics.dropped),
            ("malformed", status.malformed), ("unmatched", statistics.unmatched),
        ] { members.append(Member(name, count)) }
        if let last = statistics.lastEvent {
            members.append(Member("lastEvent", last.value(at: now)))
        }
        if let why = statistics.lastRefusal { members.append(Member("lastRefusal", why)) }
        members.append(Member("lastUnmatched", .array(statistics.unmatchedValues(at: now))))
        return .object(members)
    }
}

extension Input {
    /// The maximum number of bytes of an MQTT payload in `shownText`.
    private static let shownPayloadBytes = 800
    /// The maximum number of arguments of an OSC message in `shownText`.
    private static let shownArguments = 16

    /// The input as text for operators. Bytes that are not UTF-8 are replaced by U+FFFD.
    var shownText: String {
        switch self {
        case .message(let message):
            return String(decoding: message.payload.prefix(Self.shownPayloadBytes), as: UTF8.self)
                + (message.isRetained ? " (retained)" : "")
        case .osc(let message, _):
            let arguments = message.arguments.prefix(Self.shownArguments).map { "\($0)" }
            return "\(message.address) \(arguments.joined(separator: " "))"
        case .line(let line): return String(decoding: line, as: UTF8.self)
        case .key(let code): return KeyNames.name(of: code)
        }
    }
}
