import EventLoop
import GameFlow
import Inputs
import JSONCoding
import RPC
import Sessions
import Support

/// Publishes the states of sessions to brokers whose line says `publish=PREFIX`: retained, after each change that is
/// durable. Data that a peer without the role `operate` does not see are not published.
///
/// The sessions are those of one journal, or of the shards that this node owns. To a connection that only this node has it
/// publishes the sessions of other nodes as well.
final class MQTTPublisher {
    static let online = "online"
    static let offline = "offline"
    /// Where Home Assistant says that it has started, and needs the discovery messages again.
    static let birthTopic = "homeassistant/status"

    private let room: RoomSource
    private let encoder: Encoder
    private var journals: [Int: PublishedSessions] = [:]
    /// The number of the journal that has a session.
    private let journalOf: (SessionName) -> Int
    /// The sessions of other nodes; nil without a database.
    private let remote: RemoteSessions?
    private var brokers: [String: State] = [:]
    private var isStopping = false

    /// The messages that one broker has got.
    private struct State {
        let broker: ConnectionLine.Broker
        /// Whether only this node has the connection, of several nodes.
        let isOnly: Bool
        /// The sessions that are to be published, in the order of their changes, and the rows of the newest ones.
        var waiting = Deque<SessionName>()
        var rows: [SessionName: Int] = [:]
        /// The sessions whose topics the broker keeps, with the newest changes that were published.
        var published: [SessionName: Int] = [:]
        /// The sessions whose owners are being asked.
        var asked: Set<SessionName> = []

        mutating func add(_ session: SessionName, _ row: Int = 0) {
            if rows.updateValue(max(row, rows[session] ?? 0), forKey: session) == nil {
                waiting.append(session)
            }
        }
    }

    /// The contents of the topics of a session.
    private typealias Status = RemoteSessions.Status

    /// `router` knows who owns the sessions; nil if `sessions` are all of them.
    init(
        _ options: Options, _ sessions: Sessions, _ room: RoomSource, _ encoder: Encoder,
        _ router: ShardRouter?, on loop: LibeventLoop
    ) {
        (self.room, self.encoder) = (room, encoder)
        journalOf = { router?.shard(of: $0) ?? 0 }
        remote = router.map { RemoteSessions($0, on: loop) }
        room.connectionObservers.append { [unowned self] name, isUp in
            if isUp { connected(name) }
        }
        room.messageObserver = { [unowned self] in take($1, from: $0) }
        remote?.changed = { [unowned self] in changed($0) }
        remote?.listed = { [unowned self] in compare($0) }
        if router == nil { add(PublishedSessions(sessions)) }
        reload(options)
    }

    // MARK: journals

    /// Publishes these sessions from now on.
    func add(_ journal: PublishedSessions) {
        journals[journal.number] = journal
        journal.changed = { [unowned self] session, row in
            for name in brokers.keys.sorted() { brokers[name]?.add(session, row) }
        }
        guard !brokers.isEmpty else { return }
        journal.watch(true)
        for name in brokers.keys.sorted() { addAll(of: journal, to: name) }
    }

    /// Another node owns the shard, and publishes its sessions.
    func remove(_ number: Int) {
        journals[number] = nil
        for (name, state) in brokers where !state.isOnly {
            brokers[name]?.published = state.published.filter { journalOf($0.key) != number }
        }
    }

    private func addAll(of journal: PublishedSessions, to name: String) {
        for session in journal.sessions.list(limit: .max - 1).sessions {
            brokers[name]?.add(session.name)
        }
    }

    // MARK: brokers

    /// Publishes everything: the broker may be a new one, or have lost what it kept.
    private func connected(_ name: String) {
        guard let state = brokers[name], let topic = state.broker.statusTopic else { return }
        send(topic, Self.online, to: name)
        for number in journals.keys.sorted() {
            if let journal = journals[number] { addAll(of: journal, to: name) }
        }
        for session in state.published.keys.sorted() { brokers[name]?.add(session) }
        if state.isOnly { remote?.listLater() }
    }

    private func take(_ message: MQTTMessage, from name: String) {
        if message.topic == Self.birthTopic, message.payload.elementsEqual("online".utf8) {
            connected(name)
        }
        // Another node with the same prefix has ended, and this one still publishes.
        guard remote != nil, !isStopping, let topic = brokers[name]?.broker.statusTopic,
            message.topic == topic, message.payload.elementsEqual(Self.offline.utf8)
        else { return }
        send(topic, Self.online, to: name)
    }

    @discardableResult private func send(_ topic: String, _ payload: String, to name: String)
        -> Bool
    {
        let message = MQTTMessage(topic: topic, payload: Array(payload.utf8), isRetained: true)
        return room.connection(name)?.broker?.publish(message) != nil
    }

    // MARK: sessions of other nodes

    private func changed(_ session: SessionName) {
        guard journals[journalOf(session)] == nil else { return }
        for name in brokers.keys.sorted() where brokers[name]?.isOnly == true {
            brokers[name]?.add(session)
        }
    }

    /// Publishes what differs from a list of all sessions.
    private func compare(_ seqs: [SessionName: Int]) {
        for (name, state) in brokers where state.isOnly {
            let sessions = Set(seqs.keys).union(state.published.keys)
            for session in sessions.sorted() where state.published[session] != seqs[session] {
                brokers[name]?.add(session)
            }
        }
    }

    /// For how many sessions of other nodes their owners are asked at the same time; further ones wait.
    private static let asksAtOnce = 64

    /// Publishes a session that this node does not own, if it is the only one with the connection.
    private func publishRemote(_ name: SessionName, to connection: String) -> Bool {
        guard let remote, brokers[connection]?.isOnly == true else {
            brokers[connection]?.published[name] = nil
            return true
        }
        guard let asked = brokers[connection]?.asked, asked.count < Self.asksAtOnce,
            brokers[connection]?.asked.insert(name).inserted == true
        else { return false }
        remote.ask(name) { [weak self] answer in
            guard let self, brokers[connection]?.asked.remove(name) != nil else { return }
            switch answer {
            case .unknown: break
            case .closed: if !clear(name, of: connection) { brokers[connection]?.add(name) }
            case .status(let status):
                if !publish(status, of: name, to: connection) { brokers[connection]?.add(name) }
            }
        }
        return true
    }

    // MARK: publishing

    /// Publishes what waits and is durable; the rest waits for the next turn.
    private func publish(to name: String) {
        guard room.connection(name)?.connection.status.isUp == true else { return }
        for _ in 0..<(brokers[name]?.waiting.count ?? 0) {
            guard let session = brokers[name]?.waiting.removeFirst() else { return }
            let row = brokers[name]?.rows.removeValue(forKey: session) ?? 0
            if !publish(session, after: row, to: name) { brokers[name]?.add(session, row) }
        }
    }

    /// Returns whether nothing is left to do: its changes are durable, and the broker takes more.
    private func publish(_ name: SessionName, after row: Int, to connection: String) -> Bool {
        guard let journal = journals[journalOf(name)] else {
            return publishRemote(name, to: connection)
        }
        let sessions = journal.sessions
        // A row beyond the newest one was rolled back.
        guard journal.mayAct(), row <= sessions.durableRow || row > sessions.newestRow else {
            return false
        }
        guard let session = try? sessions.session(name) else { return clear(name, of: connection) }
        guard sessions.row(of: session) <= sessions.durableRow else { return false }
        let status = session.status
        let detail = JSONWriter.bytes { encoder.write(status, .limited, to: &$0) }
        return publish(
            Status(state: status.place.state, seq: status.seq, detail: detail), of: name,
            to: connection)
    }

    private func publish(_ status: Status, of name: SessionName, to connection: String) -> Bool {
        guard let broker = brokers[connection]?.broker, let prefix = broker.prefix else {
            return true
        }
        if broker.hasDiscovery, brokers[connection]?.published[name] == nil {
            send(Self.discoveryTopic(prefix, name), Self.discovery(prefix, name), to: connection)
        }
        brokers[connection]?.published[name] = status.seq
        let topic = "\(prefix)/\(name.text)"
        send("\(topic)/detail", String(decoding: status.detail, as: UTF8.self), to: connection)
        return send("\(topic)/state", status.state, to: connection)
    }

    /// Removes the topics of a session that is closed. Returns whether the broker takes more.
    private func clear(_ name: SessionName, of connection: String) -> Bool {
        guard let broker = brokers[connection]?.broker, let prefix = broker.prefix,
            let seq = brokers[connection]?.published.removeValue(forKey: name)
        else { return true }
        if broker.hasDiscovery { send(Self.discoveryTopic(prefix, name), "", to: connection) }
        send("\(prefix)/\(name.text)/detail", "", to: connection)
        if send("\(prefix)/\(name.text)/state", "", to: connection) { return true }
        brokers[connection]?.published[name] = seq
        return false
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

extension MQTTPublisher: EventSource {
    /// Unchanged lines keep what they have published.
    func reload(_ options: Options) {
        var fresh: [String: State] = [:]
        for line in options.connections {
            guard let broker = line.broker, broker.prefix != nil else { continue }
            let isOnly = remote != nil && options.connectionNodes[line.name] == options.node
            let old = brokers[line.name].flatMap {
                $0.broker == broker && $0.isOnly == isOnly ? $0 : nil
            }
            fresh[line.name] = old ?? State(broker: broker, isOnly: isOnly)
        }
        let wasEmpty = brokers.isEmpty
        brokers = fresh
        if wasEmpty != brokers.isEmpty {
            for journal in journals.values { journal.watch(wasEmpty) }
        }
        remote?.watch(brokers.values.contains(where: \.isOnly))
    }

    func flush() {
        for name in brokers.keys.sorted() where brokers[name]?.waiting.isEmpty == false {
            publish(to: name)
        }
    }

    func writeMetrics(to page: inout MetricsPage) {}

    /// After a clean end the broker does not publish the will.
    func stop() {
        isStopping = true
        remote?.watch(false)
        for (name, state) in brokers.sorted(by: { $0.key < $1.key }) {
            if let topic = state.broker.statusTopic { send(topic, Self.offline, to: name) }
        }
    }
}
