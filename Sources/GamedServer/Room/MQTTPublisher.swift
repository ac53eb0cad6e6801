import GameFlow
import Inputs
import JSONCoding
import RPC
import Sessions
import Support

/// Publishes the states of sessions to brokers whose line says `publish=PREFIX`: retained, after each change that is
/// durable. What a peer without the role `operate` does not see is not published.
final class MQTTPublisher {
    static let online = "online"
    static let offline = "offline"
    /// Where Home Assistant says that it has started, and needs the discovery messages again.
    static let birthTopic = "homeassistant/status"

    private let sessions: Sessions
    private let room: RoomSource
    private let encoder: Encoder
    private var brokers: [String: State] = [:]
    private var isWatching = false

    /// What one broker has been sent.
    private struct State {
        let broker: ConnectionLine.Broker
        /// The sessions that are to be published, in the order of their changes.
        var waiting = Deque<SessionName>()
        var isWaiting: Set<SessionName> = []
        /// The sessions whose topics the broker keeps.
        var published: Set<SessionName> = []

        mutating func add(_ session: SessionName) {
            if isWaiting.insert(session).inserted { waiting.append(session) }
        }
    }

    init(_ options: Options, _ sessions: Sessions, _ room: RoomSource, _ encoder: Encoder) {
        (self.sessions, self.room, self.encoder) = (sessions, room, encoder)
        room.connectionObservers.append { [unowned self] name, isUp in
            if isUp { connected(name) }
        }
        room.messageObserver = { [unowned self] name, message in
            guard message.topic == Self.birthTopic, message.payload.elementsEqual("online".utf8)
            else { return }
            connected(name)
        }
        reload(options)
    }

    /// Publishes everything: the broker may be a new one, or have lost what it kept.
    private func connected(_ name: String) {
        guard let state = brokers[name], let topic = state.broker.statusTopic else { return }
        send(topic, Self.online, to: name)
        for session in sessions.list(limit: .max - 1).sessions { brokers[name]?.add(session.name) }
        for session in state.published.sorted() { brokers[name]?.add(session) }
    }

    @discardableResult private func send(_ topic: String, _ payload: String, to name: String)
        -> Bool
    {
        let message = MQTTMessage(topic: topic, payload: Array(payload.utf8), isRetained: true)
        return room.connection(name)?.broker?.publish(message) != nil
    }

    // MARK: sessions

    /// Publishes what waits and is durable; the rest waits for the next turn.
    private func publish(to name: String) {
        guard room.connection(name)?.connection.status.isUp == true else { return }
        for _ in 0..<(brokers[name]?.waiting.count ?? 0) {
            guard let session = brokers[name]?.waiting.removeFirst() else { return }
            brokers[name]?.isWaiting.remove(session)
            guard publish(session, to: name) else {
                brokers[name]?.add(session)
                continue
            }
        }
    }

    /// Returns whether it was published: its changes are durable, and the broker takes more.
    private func publish(_ name: SessionName, to connection: String) -> Bool {
        guard let broker = brokers[connection]?.broker, let prefix = broker.prefix else {
            return true
        }
        let topic = "\(prefix)/\(name.text)"
        guard let session = try? sessions.session(name) else {
            guard brokers[connection]?.published.remove(name) != nil else { return true }
            if broker.hasDiscovery { send(Self.discoveryTopic(prefix, name), "", to: connection) }
            send("\(topic)/detail", "", to: connection)
            return send("\(topic)/state", "", to: connection)
        }
        guard sessions.row(of: session) <= sessions.durableRow else { return false }
        let status = session.status
        if broker.hasDiscovery, brokers[connection]?.published.contains(name) != true {
            send(Self.discoveryTopic(prefix, name), Self.discovery(prefix, name), to: connection)
        }
        brokers[connection]?.published.insert(name)
        let detail = JSONWriter.bytes { encoder.write(status, .limited, to: &$0) }
        send("\(topic)/detail", String(decoding: detail, as: UTF8.self), to: connection)
        return send("\(topic)/state", status.place.state, to: connection)
    }

    // MARK: Home Assistant

    private static func discoveryTopic(_ prefix: String, _ session: SessionName) -> String {
        "homeassistant/sensor/\(identifier(prefix, session))/config"
    }

    /// A name of letters, digits, hyphens and underscores.
    private static func identifier(_ prefix: String, _ session: SessionName) -> String {
        let text = "gamed_\(prefix)_\(session.text)"
        return String(
            text.map { character in
                let isPlain = character.isASCII && (character.isLetter || character.isNumber)
                return isPlain || character == "-" ? character : "_"
            })
    }

    /// The discovery message of a sensor with the session's state.
    private static func discovery(_ prefix: String, _ session: SessionName) -> String {
        let topic = "\(prefix)/\(session.text)"
        let device = Value.object([
            Member("identifiers", .array([.string("gamed_\(prefix)")])), Member("name", prefix),
        ])
        let bytes = JSONWriter.bytes {
            $0.object([
                Member("name", session.text), Member("unique_id", identifier(prefix, session)),
                Member("state_topic", "\(topic)/state"),
                Member("json_attributes_topic", "\(topic)/detail"),
                Member("availability_topic", "\(prefix)/status"), Member("device", device),
                Member("origin", .object([Member("name", "gamed")])),
            ])
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension MQTTPublisher: Watcher {
    func notify(_ notification: Notification) {
        guard let session = notification.session else { return }
        for name in brokers.keys.sorted() { brokers[name]?.add(session) }
    }

    func ended(_ session: SessionName) {}
}

extension MQTTPublisher: EventSource {
    /// Unchanged lines keep what they have published.
    func reload(_ options: Options) {
        var fresh: [String: State] = [:]
        for line in options.connections {
            guard let broker = line.broker, broker.prefix != nil else { continue }
            let old = brokers[line.name].flatMap { $0.broker == broker ? $0 : nil }
            fresh[line.name] = old ?? State(broker: broker)
        }
        brokers = fresh
        if brokers.isEmpty {
            if exchange(&isWatching, with: false) { try? sessions.unwatch(.all, by: self) }
        } else if !exchange(&isWatching, with: true) {
            _ = try? sessions.watch(.all, by: self)
        }
    }

    func flush() {
        for name in brokers.keys.sorted() where brokers[name]?.waiting.isEmpty == false {
            publish(to: name)
        }
    }

    func writeMetrics(to page: inout MetricsPage) {}

    /// A clean end is no loss of the connection, so the broker would not publish the will.
    func stop() {
        for (name, state) in brokers.sorted(by: { $0.key < $1.key }) {
            if let topic = state.broker.statusTopic { send(topic, Self.offline, to: name) }
        }
    }
}
