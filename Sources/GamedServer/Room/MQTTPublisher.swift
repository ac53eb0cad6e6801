import EventLoop
import GameFlow
import Inputs
import JSONCoding
import RPC
import Sessions
import Support

/// Publishes the states of sessions, as retained messages, to each broker whose line has `publish=PREFIX`. It publishes a
/// change when the change is durable, and only data that a client with the role `observe` may see.
///
/// It publishes the sessions of one journal, or of the shards that this node owns. If only this node has the connection to a
/// broker, the sessions of other nodes are published there too.
final class MQTTPublisher {
    /// The payloads of a daemon's status topic.
    static let online = "online"
    static let offline = "offline"
    /// The topic where Home Assistant announces its start by the payload `online`. Home Assistant then needs the discovery
    /// messages again.
    static let birthTopic = "homeassistant/status"

    private let room: RoomSource
    private let encoder: Encoder
    /// The sessions to publish, by the number of their journal: the shard, or 0.
    private var journals: [Int: PublishedSessions] = [:]
    /// Returns the number of the journal that contains a session.
    private let journalNumber: (SessionName) -> Int
    /// The sessions of other nodes; nil without a database.
    private let remote: RemoteSessions?
    /// The brokers, by the names of their connections.
    private var brokers: [String: BrokerState] = [:]
    private var isStopping = false

    /// What one broker has received, and what is to be published there.
    private struct BrokerState {
        let broker: ConnectionLine.Broker
        /// Whether nodes share a database, and only this node has the connection.
        let isExclusive: Bool
        /// The sessions that are to be published, in the order of their changes.
        var waiting = Deque<SessionName>()
        /// The row of the newest change of each session in `waiting`; 0 if the session is to be published without a change.
        var rows: [SessionName: Int] = [:]
        /// The sessions whose topics the broker has.
        var published: [SessionName: PublishedTopics] = [:]
        /// The sessions of other nodes whose status was requested and has not arrived yet.
        var requestedSessions: Set<SessionName> = []

        /// Adds a session that is to be published. `row` is the row of its newest change; 0 to publish it without a change.
        mutating func add(_ session: SessionName, _ row: Int = 0) {
            if rows.updateValue(max(row, rows[session] ?? 0), forKey: session) == nil {
                waiting.append(session)
            }
        }
    }

    /// What a broker has received of one session.
    private struct PublishedTopics {
        /// The number of the change that was published last.
        let seq: Int
        /// Whether the discovery message was sent. False again when the daemon connects to the broker, and when Home Assistant
        /// starts.
        var hasDiscovery: Bool
    }

    /// The contents of the topics of a session.
    private typealias Status = RemoteSessions.Status

    /// `router` is nil without a database; then `sessions` are all sessions. With a database, `sessions` are not used: `add` is
    /// called with the sessions of each shard that this node owns.
    init(
        _ options: Options, _ sessions: Sessions, _ room: RoomSource, _ encoder: Encoder,
        _ router: ShardRouter?, on loop: LibeventLoop
    ) {
        (self.room, self.encoder) = (room, encoder)
        journalNumber = { router?.shard(of: $0) ?? 0 }
        remote = router.map { RemoteSessions($0, on: loop) }
        room.connectionObservers.append { [unowned self] connection, isUp in
            if isUp { brokerConnected(connection) }
        }
        room.messageObserver = { [unowned self] in receive($1, from: $0) }
        remote?.sessionChanged = { [unowned self] in remoteSessionChanged($0) }
        remote?.sessionsListed = { [unowned self] in publishDifferences(from: $0) }
        if router == nil { add(PublishedSessions(sessions)) }
        reload(options)
    }

    // MARK: journals

    /// Publishes these sessions from now on.
    func add(_ journal: PublishedSessions) {
        journals[journal.number] = journal
        journal.sessionChanged = { [unowned self] session, row in
            for connection in brokers.keys.sorted() { brokers[connection]?.add(session, row) }
        }
        guard !brokers.isEmpty else { return }
        journal.setWatching(true)
        for connection in brokers.keys.sorted() { addAll(of: journal, to: connection) }
    }

    /// Removes the sessions of a shard, because another node has become the owner of the shard. The owner publishes the
    /// sessions to the brokers to which several nodes are connected. If only this node has the connection to a broker, this
    /// node still publishes the sessions there, as sessions of another node.
    func remove(_ number: Int) {
        journals[number] = nil
        for (connection, state) in brokers where !state.isExclusive {
            brokers[connection]?.published = state.published.filter {
                journalNumber($0.key) != number
            }
        }
    }

    private func addAll(of journal: PublishedSessions, to connection: String) {
        for session in journal.sessions.all {
            brokers[connection]?.add(session.name)
        }
    }

    // MARK: brokers

    /// Publishes that this daemon is online. Then adds all sessions to the sessions that wait, because the broker may be new,
    /// or may have lost its retained messages.
    private func brokerConnected(_ connection: String) {
        guard let state = brokers[connection], let topic = state.broker.statusTopic else { return }
        send(topic, Self.online, to: connection)
        for number in journals.keys.sorted() {
            if let journal = journals[number] { addAll(of: journal, to: connection) }
        }
        for session in state.published.keys.sorted() {
            brokers[connection]?.published[session]?.hasDiscovery = false
            brokers[connection]?.add(session)
        }
        if state.isExclusive { remote?.listLater() }
    }

    private func receive(_ message: MQTTMessage, from connection: String) {
        // Home Assistant has started.
        if message.topic == Self.birthTopic, message.payload.elementsEqual("online".utf8) {
            brokerConnected(connection)
        }
        // Another node with the same prefix has ended and has set the status to `offline`, but this node still publishes.
        guard remote != nil, !isStopping, let topic = brokers[connection]?.broker.statusTopic,
            message.topic == topic, message.payload.elementsEqual(Self.offline.utf8)
        else { return }
        send(topic, Self.online, to: connection)
    }

    /// Publishes a retained message. Returns whether the connection accepted it.
    @discardableResult private func send(_ topic: String, _ payload: String, to connection: String)
        -> Bool
    {
        let message = MQTTMessage(topic: topic, payload: Array(payload.utf8), isRetained: true)
        return room.connection(connection)?.broker?.publish(message) != nil
    }

    // MARK: sessions of other nodes

    /// Publishes a changed session of another node to the brokers to which only this node is connected.
    private func remoteSessionChanged(_ session: SessionName) {
        guard journals[journalNumber(session)] == nil else { return }
        for connection in brokers.keys.sorted() where brokers[connection]?.isExclusive == true {
            brokers[connection]?.add(session)
        }
    }

    /// Adds each session that has changed since it was last published, and each session that was closed, to the sessions that
    /// wait. `seqs` has the number of the newest change of each session of all nodes.
    private func publishDifferences(from seqs: [SessionName: Int]) {
        for (connection, state) in brokers where state.isExclusive {
            let sessions = Set(seqs.keys).union(state.published.keys)
            for session in sessions.sorted() where state.published[session]?.seq != seqs[session] {
                brokers[connection]?.add(session)
            }
        }
    }

    /// For each broker, the maximum number of requests to other nodes at the same time. A request asks for the status of one
    /// session; further sessions wait.
    private static let requestLimit = 64

    /// Publishes a session that another node owns, if this node is the only node with the connection. Otherwise the other node
    /// publishes the session. This node then only forgets what the broker has received of the session. Returns false if the
    /// session has to wait.
    private func publishRemote(_ name: SessionName, to connection: String) -> Bool {
        guard let remote, brokers[connection]?.isExclusive == true else {
            brokers[connection]?.published[name] = nil
            return true
        }
        guard let requestedSessions = brokers[connection]?.requestedSessions,
            requestedSessions.count < Self.requestLimit,
            brokers[connection]?.requestedSessions.insert(name).inserted == true
        else { return false }
        remote.ask(name) { [weak self] answer in
            guard let self, brokers[connection]?.requestedSessions.remove(name) != nil else {
                return
            }
            switch answer {
            // The next list of sessions shows whether there is something to publish.
            case .unanswered: break
            case .closed: if !clear(name, of: connection) { brokers[connection]?.add(name) }
            case .status(let status):
                if !publish(status, of: name, to: connection) { brokers[connection]?.add(name) }
            }
        }
        return true
    }

    // MARK: publishing

    /// Publishes the waiting sessions whose changes are durable; the others wait for the next turn of the loop.
    private func publish(to connection: String) {
        guard room.connection(connection)?.inputConnection.status.isUp == true else { return }
        for _ in 0..<(brokers[connection]?.waiting.count ?? 0) {
            guard let session = brokers[connection]?.waiting.removeFirst() else { return }
            let row = brokers[connection]?.rows.removeValue(forKey: session) ?? 0
            if !publish(session, after: row, to: connection) {
                brokers[connection]?.add(session, row)
            }
        }
    }

    /// Publishes a session. Returns false if it has to wait: its changes are not durable yet, or the broker accepts no more
    /// messages.
    private func publish(_ name: SessionName, after row: Int, to connection: String) -> Bool {
        guard let journal = journals[journalNumber(name)] else {
            return publishRemote(name, to: connection)
        }
        let sessions = journal.sessions
        // If `row` is beyond the newest row, the change was rolled back; the session is then published as it is now.
        guard journal.mayAct(), row <= sessions.durableRow || row > sessions.newestRow else {
            return false
        }
        guard let session = try? sessions.session(name) else { return clear(name, of: connection) }
        guard sessions.row(of: session) <= sessions.durableRow else { return false }
        let status = session.status
        // `limited` is what a client with the role `observe` sees.
        let detail = JSONWriter.bytes { encoder.write(status, .limited, to: &$0) }
        return publish(
            Status(state: status.stateRecord.state, seq: status.seq, detail: detail), of: name,
            to: connection)
    }

    /// Publishes the topics of a session, the state last. Returns false if the connection does not accept a message.
    /// The caller must then publish all topics of the session again.
    private func publish(_ status: Status, of name: SessionName, to connection: String) -> Bool {
        guard let broker = brokers[connection]?.broker, let prefix = broker.prefix else {
            return true
        }
        var hasDiscovery = brokers[connection]?.published[name]?.hasDiscovery ?? false
        if broker.hasDiscovery, !hasDiscovery {
            hasDiscovery = send(
                Self.discoveryTopic(prefix, name), Self.discovery(prefix, name), to: connection)
        }
        brokers[connection]?.published[name] = PublishedTopics(
            seq: status.seq, hasDiscovery: hasDiscovery)
        guard hasDiscovery || !broker.hasDiscovery else { return false }
        let topic = "\(prefix)/\(name.text)"
        let detail = String(decoding: status.detail, as: UTF8.self)
        // A detail that is too long for a message is left out.
        guard
            status.detail.count > MQTTLimit.payloadBytes
                || send("\(topic)/detail", detail, to: connection)
        else { return false }
        return send("\(topic)/state", status.state, to: connection)
    }

    /// Removes the topics of a closed session by empty payloads. Returns false if the connection accepts no more messages.
    private func clear(_ name: SessionName, of connection: String) -> Bool {
        guard let broker = brokers[connection]?.broker, let prefix = broker.prefix,
            let published = brokers[connection]?.published.removeValue(forKey: name)
        else { return true }
        let topic = "\(prefix)/\(name.text)"
        let topics =
            (broker.hasDiscovery ? [Self.discoveryTopic(prefix, name)] : [])
            + ["\(topic)/detail", "\(topic)/state"]
        if topics.allSatisfy({ send($0, "", to: connection) }) { return true }
        brokers[connection]?.published[name] = published
        return false
    }

    // MARK: Home Assistant

    private static func discoveryTopic(_ prefix: String, _ session: SessionName) -> String {
        "homeassistant/sensor/\(identifier(prefix, session))/config"
    }

    /// The id of a session for Home Assistant: letters, digits, hyphens and underscores.
    private static func identifier(_ prefix: String, _ session: SessionName) -> String {
        let text = "gamed_\(prefix)_\(session.text)"
        return String(
            text.map { character in
                let isPlain = character.isASCII && (character.isLetter || character.isNumber)
                return isPlain || character == "-" ? character : "_"
            })
    }

    /// The discovery message by which Home Assistant adds a sensor with the session's state.
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

extension MQTTPublisher: EventSource {
    /// Keeps the `BrokerState` of brokers whose lines are unchanged, so that their sessions are not published again.
    func reload(_ options: Options) {
        var newBrokers: [String: BrokerState] = [:]
        for line in options.connections {
            guard let broker = line.broker, broker.prefix != nil else { continue }
            let isExclusive = remote != nil && options.connectionNodes[line.name] == options.node
            let unchangedState = brokers[line.name].flatMap {
                $0.broker == broker && $0.isExclusive == isExclusive ? $0 : nil
            }
            newBrokers[line.name] =
                unchangedState ?? BrokerState(broker: broker, isExclusive: isExclusive)
        }
        let wasEmpty = brokers.isEmpty
        brokers = newBrokers
        if wasEmpty != brokers.isEmpty {
            for journal in journals.values { journal.setWatching(!brokers.isEmpty) }
        }
        remote?.setWatching(brokers.values.contains(where: \.isExclusive))
    }

    /// Publishes what waits. The loop calls this function once in each turn.
    func flush() {
        for connection in brokers.keys.sorted()
        where brokers[connection]?.waiting.isEmpty == false {
            publish(to: connection)
        }
    }

    func writeMetrics(to page: inout MetricsPage) {}

    /// Publishes `offline`, because a broker does not publish the will when the client itself ends the connection.
    func stop() {
        isStopping = true
        remote?.setWatching(false)
        for (connection, state) in brokers.sorted(by: { $0.key < $1.key }) {
            if let topic = state.broker.statusTopic { send(topic, Self.offline, to: connection) }
        }
    }
}
