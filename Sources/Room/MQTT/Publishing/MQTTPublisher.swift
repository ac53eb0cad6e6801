package import Cluster
package import EventLoop
import GameFlow
import Inputs
import JSONCoding
package import Parts
package import RPC
import Sessions
package import Shards
import Support
import Timers

/// Publishes the states of sessions, as retained messages, to each broker whose line has `publish=PREFIX`. It publishes a
/// change when the change is durable, and only data that a client with the role `observe` may see, unless the line has
/// `view=operate`.
///
/// It publishes the sessions of the shards of this process. If only this node has the connection to a
/// broker, the sessions of other nodes are published there too.
package final class MQTTPublisher: ShardFollower {
    private let connections: RoomConnections
    private let loop: LibeventLoop
    /// The sessions to publish, by the number of their journal: the shard, or 0.
    private var journals: [Int: PublishedSessions] = [:]
    /// Returns the number of the journal that contains a session.
    private let journalNumber: (SessionName) -> Int
    /// The sessions of other nodes, if there can be any.
    private let remote: RemoteSessions?
    private let devices: HomeAssistantDevices
    private let commands: PublishedCommands
    /// Reads the settings of other parts that Home Assistant needs.
    private let settings: (Options) -> Settings

    /// The address of the pages, if there is a public one, and the rights of Home Assistant's controls.
    package typealias Settings = (address: String?, rights: Rights)
    /// The brokers, by the names of their connections.
    private var brokers: [String: PublishingBroker] = [:]
    private let otherDaemons: OtherDaemons
    private var isStopping = false

    /// How long a daemon waits for the broker's retained messages, and for the answers of other daemons, after it has connected.
    private static let answerTime = Duration.seconds(1)
    /// The maximum number of sessions, and of topics, that are cleared after a connection because this daemon does not have them.
    private static let ghostLimit = 10_000

    /// The contents of the topics of a session.
    private typealias Status = RemoteSessions.Status

    /// `commands` carries out those of Home Assistant's controls.
    package init(
        _ options: Options, _ connections: RoomConnections, _ router: ShardRouter?,
        _ devices: HomeAssistantDevices, _ commands: PublishedCommands, on loop: LibeventLoop,
        instance: String, settings: @escaping (Options) -> Settings
    ) {
        (self.settings, self.commands) = (settings, commands)
        (self.connections, self.loop, self.devices) = (connections, loop, devices)
        otherDaemons = OtherDaemons(
            connections, on: loop, instance: instance, node: options.node.name)
        journalNumber = { router?.shard(of: $0) ?? 0 }
        remote = router.map { RemoteSessions($0, on: loop) }
        connections.observers.append { [unowned self] connection, isUp in
            if isUp { brokerConnected(connection) } else { brokerLost(connection) }
        }
        connections.inputObservers.append { [unowned self] connection, input in
            if let message = input as? MQTTMessage { receive(message, from: connection) }
        }
        remote?.sessionChanged = { [unowned self] in remoteSessionChanged($0) }
        devices.flowIsKnown = { [unowned self] in publishDevices() }
        remote?.sessionsListed = { [unowned self] in publishDifferences(from: $0) }
        reload(options)
    }

    // MARK: journals

    /// Publishes these sessions from now on.
    private func add(_ journal: PublishedSessions) {
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
    private func remove(_ number: Int) {
        journals[number] = nil
        for (connection, state) in brokers where !state.isExclusive {
            brokers[connection]?.published = state.published.filter {
                journalNumber($0.key) != number
            }
        }
    }

    package func shardWasRestored(_ shard: Shard, _ rows: RestoredRows) {
        add(
            PublishedSessions(shard.sessions, shard.handler.encoder, number: shard.number) {
                [unowned shard] in shard.mayServe
            })
    }

    package func shardHasEnded(_ shard: Shard) { remove(shard.number) }

    private func addAll(of journal: PublishedSessions, to connection: String) {
        for session in journal.sessions.all {
            brokers[connection]?.add(session.name)
        }
    }

    /// Publishes the sessions whose device the broker does not have yet.
    private func publishDevices() {
        for (connection, state) in brokers where state.broker.hasDiscovery {
            for (session, topics) in state.published where topics.device == nil {
                brokers[connection]?.add(session)
            }
        }
    }

    // MARK: brokers

    private func connection(_ name: String) -> BrokerConnection? {
        connections[name] as? BrokerConnection
    }

    private func brokerConnected(_ connection: String) {
        guard let state = brokers[connection] else { return }
        brokers[connection]?.arrival = PublishingBroker.Arrival()
        brokers[connection]?.arrival?.answerTimer.set(on: loop, Self.answerTime) {
            [unowned self] in endOfAnswers(connection)
        }
        // The broker sends the retained messages of these topics now.
        connections.setFilters(state.filters(isArriving: true), of: connection)
        otherDaemons.claim(state.prefix, asks: true, at: connection)
        publishAll(to: connection)
    }

    private func brokerLost(_ connection: String) {
        guard let state = brokers[connection] else { return }
        brokers[connection]?.arrival = nil
        connections.setFilters(state.filters(isArriving: true), of: connection)
    }

    /// Adds all sessions to those that are published before `online`: the broker may be new, or may have lost its retained
    /// messages, or Home Assistant has started.
    private func publishAll(to connection: String) {
        guard let state = brokers[connection] else { return }
        for session in state.published.keys.sorted() {
            brokers[connection]?.published[session]?.device = nil
            brokers[connection]?.published[session]?.state = nil
            brokers[connection]?.addBeforeOnline(session)
        }
        for number in journals.keys.sorted() {
            for session in journals[number]?.sessions.all ?? [] {
                brokers[connection]?.addBeforeOnline(session.name)
            }
        }
        if state.isExclusive { remote?.listLater() }
    }

    /// Publishes `online` when everything that comes before it is published.
    private func announceIfComplete(_ connection: String) {
        guard let state = brokers[connection], let arrival = state.arrival, !arrival.isAnnounced,
            arrival.isComplete, !isStopping,
            send(state.prefix.status, PublishedPrefix.online, to: connection)
        else { return }
        brokers[connection]?.arrival?.isAnnounced = true
        endArrival(connection)
    }

    /// Ends the subscriptions that are needed only after a connection was made.
    private func endArrival(_ connection: String) {
        guard let state = brokers[connection], let arrival = state.arrival, arrival.isAnnounced,
            !arrival.answerTimer.isSet
        else { return }
        connections.setFilters(state.filters(isArriving: false), of: connection)
    }

    private func receive(_ message: MQTTMessage, from connection: String) {
        guard let state = brokers[connection], let arrival = state.arrival, !isStopping else {
            return
        }
        if state.broker.hasControls,
            let (session, command) = state.prefix.command(ofTopic: message.topic)
        {
            guard !message.isRetained else { return }
            execute(command, session, message, from: connection, of: state)
        } else if message.topic.hasSameBytes(as: state.prefix.claims) {
            if let claim = PrefixClaim(message.payload) { receive(claim, from: connection) }
        } else if message.topic.hasSameBytes(as: state.prefix.status) {
            // Another daemon with the same prefix has ended, or the broker has published the last will of an earlier connection
            // of this daemon. But this daemon publishes.
            guard !message.isRetained, arrival.isAnnounced,
                message.payload.elementsEqual(PublishedPrefix.offline.utf8)
            else { return }
            send(state.prefix.status, PublishedPrefix.online, to: connection)
        } else if state.broker.hasDiscovery,
            message.topic.hasSameBytes(as: HomeAssistant.birthTopic)
        {
            // Home Assistant has started.
            guard !message.isRetained, message.payload.elementsEqual("online".utf8) else { return }
            brokers[connection]?.arrival?.isAnnounced = false
            brokers[connection]?.clearAgain(at: loop.timerQueue.now) { [unowned self] session in
                let journal = journals[journalNumber(session)]
                return (try? journal?.sessions.session(session)) != nil
            }
            publishAll(to: connection)
            publish(to: connection)
            announceIfComplete(connection)
        } else if message.isRetained, !message.payload.isEmpty, arrival.answerTimer.isSet {
            noteRetained(message, of: state, at: connection)
        }
    }

    /// Notes a retained message about a session that this daemon does not have.
    private func noteRetained(
        _ message: MQTTMessage, of state: PublishingBroker, at connection: String
    ) {
        if let session = state.prefix.session(ofTopic: message.topic) {
            guard state.published[session] == nil, state.rows[session] == nil,
                state.arrival?.ghosts.count ?? 0 < Self.ghostLimit
            else { return }
            brokers[connection]?.arrival?.ghosts.insert(session)
        } else if state.broker.hasDiscovery,
            let session = HomeAssistant.session(state.prefix, ofMessage: message),
            state.arrival?.ghostTopics.count ?? 0 < Self.ghostLimit
        {
            brokers[connection]?.arrival?.ghostTopics[message.topic] = session
        }
    }

    /// Does what Home Assistant asks for. If several nodes have the connection, all get the message, and the owner of the session does
    /// it.
    private func execute(
        _ command: PublishedPrefix.Command, _ session: SessionName, _ message: MQTTMessage,
        from connection: String, of state: PublishingBroker
    ) {
        let journal = journals[journalNumber(session)]
        guard journal?.mayAct() ?? state.isExclusive, let room = connections[connection] else {
            return
        }
        commands.execute(
            command, session, message, journal?.sessions, state.published[session]?.device, room)
    }

    // MARK: other daemons

    private func receive(_ claim: PrefixClaim, from connection: String) {
        guard let state = brokers[connection] else { return }
        switch otherDaemons.hear(claim, below: state.prefix, at: connection) {
        case .own:
            // The broker has returned this daemon's claim after the retained messages.
            brokers[connection]?.arrival?.hasRetainedMessages = true
            announceIfComplete(connection)
        // If this daemon has answered too late, the other daemon has cleared its topics.
        case .new: publishAll(to: connection)
        case .known: break
        }
    }

    /// Called when other daemons have had the time to answer. Clears what the broker has retained of sessions that this daemon
    /// does not have, unless these may be the sessions of another daemon.
    private func endOfAnswers(_ connection: String) {
        guard let state = brokers[connection], let arrival = state.arrival else { return }
        brokers[connection]?.arrival?.answerTimer.stop()
        brokers[connection]?.arrival?.hasRetainedMessages = true
        brokers[connection]?.arrival?.ghosts = []
        brokers[connection]?.arrival?.ghostTopics = [:]
        if !otherDaemons.arePublishing(below: state.prefix, at: connection) {
            for (topic, session) in arrival.ghostTopics.sorted(by: { $0.key < $1.key })
            where isGhost(topic, of: session, at: state) {
                brokers[connection]?.waitingMessages.append(
                    PublishingBroker.Message(topic: topic, payload: ""))
            }
            for session in arrival.ghosts.sorted() where state.published[session] == nil {
                // If no session of this name exists, its topics are cleared when it is its turn.
                brokers[connection]?.published[session] = PublishingBroker.PublishedTopics()
                brokers[connection]?.addBeforeOnline(session)
            }
        }
        publish(to: connection)
        endArrival(connection)
    }

    /// Whether a retained discovery message is about a session that this daemon does not have, or about an entity that its device does
    /// not have, such as one of an earlier version of its flow.
    private func isGhost(_ topic: String, of session: SessionName, at state: PublishingBroker)
        -> Bool
    {
        guard let topics = state.published[session] else {
            return !state.broker.keepsDevices && state.rows[session] == nil
        }
        return topics.device != nil && !topics.discoveryTopics.contains(topic)
    }

    /// Publishes a message. Returns whether the connection accepted it.
    @discardableResult private func send(
        _ topic: String, _ payload: String, to name: String, linkedSteps: Int = 0,
        isRetained: Bool = true
    ) -> Bool {
        let message = MQTTMessage(
            topic: topic, payload: Array(payload.utf8), isRetained: isRetained)
        let origin = InputOrigin(linkedSteps: linkedSteps, sender: .setting("publish"))
        return connection(name)?.publish(message, origin) != nil
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
        let showsOperators = brokers[connection]?.broker.showsOperators == true
        remote.ask(name, showsOperators: showsOperators) { [weak self] answer in
            guard let self, brokers[connection]?.requestedSessions.remove(name) != nil else {
                return
            }
            switch answer {
            // The next list of sessions shows whether there is something to publish.
            case .unanswered: finish(name, of: connection)
            case .closed:
                if clear(name, of: connection) {
                    finish(name, of: connection)
                } else {
                    brokers[connection]?.add(name)
                }
            case .status(let status):
                if publish(status, of: name, at: remote.now, to: connection) {
                    finish(name, of: connection)
                } else {
                    brokers[connection]?.add(name)
                }
            }
        }
        return true
    }

    // MARK: publishing

    /// Publishes what waits: first the waiting messages, and then the waiting sessions whose changes are durable; the others wait
    /// for the next turn of the loop.
    private func publish(to connection: String) {
        guard connections[connection]?.inputConnection.status.isUp == true else { return }
        while let message = brokers[connection]?.waitingMessages.first {
            guard
                send(
                    message.topic, message.payload, to: connection, isRetained: message.isRetained)
            else { return }
            _ = brokers[connection]?.waitingMessages.removeFirst()
        }
        for _ in 0..<(brokers[connection]?.waiting.count ?? 0) {
            guard let session = brokers[connection]?.waiting.removeFirst() else { return }
            let row = brokers[connection]?.rows.removeValue(forKey: session) ?? 0
            guard publish(session, after: row, to: connection) else {
                brokers[connection]?.add(session, row)
                continue
            }
            // The status of a session of another node has only been requested.
            if brokers[connection]?.requestedSessions.contains(session) != true {
                finish(session, of: connection)
            }
        }
        announceIfComplete(connection)
    }

    /// Notes that a session was published, so that `online` no longer waits for it.
    private func finish(_ session: SessionName, of connection: String) {
        guard brokers[connection]?.arrival?.isAnnounced == false else { return }
        brokers[connection]?.arrival?.sessions.remove(session)
        announceIfComplete(connection)
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
        let view: SessionView =
            brokers[connection]?.broker.showsOperators == true ? .full : .limited
        let detail = JSONWriter.bytes { journal.encoder.write(status, view, to: &$0) }
        return publish(
            Status(
                state: status.stateRecord.state, seq: status.seq,
                linkedSteps: session.lastSummary?.source.linkedSteps ?? 0, detail: detail),
            of: name, at: status.at, to: connection)
    }

    /// Publishes the topics of a session, the state last, and only if it has changed: an automation may follow each message about
    /// the state. Returns false if the connection does not accept a message. The caller must then publish the session again.
    private func publish(
        _ status: Status, of name: SessionName, at now: Instant?, to connection: String
    ) -> Bool {
        guard let state = brokers[connection] else { return true }
        let (prefix, linkedSteps) = (state.prefix, status.linkedSteps)
        var topics = state.published[name] ?? PublishingBroker.PublishedTopics()
        let detail = PublishedDetail(status.detail, at: now, findFlow: devices.flow)
        topics.seq = status.seq
        brokers[connection]?.published[name] = topics
        if state.broker.hasDiscovery,
            let device = devices.device(name, detail, state.broker, prefix),
            topics.device != device, !publish(device, to: connection)
        {
            return false
        }
        let bytes = detail.bytes
        // A detail that is too long for a message is left out.
        guard
            bytes.count > MQTTLimit.payloadBytes
                || send(
                    prefix.detail(of: name), String(decoding: bytes, as: UTF8.self), to: connection,
                    linkedSteps: linkedSteps)
        else { return false }
        guard topics.state?.hasSameBytes(as: status.state) != true else { return true }
        guard send(prefix.state(of: name), status.state, to: connection, linkedSteps: linkedSteps)
        else { return false }
        brokers[connection]?.published[name]?.state = status.state
        return true
    }

    /// Publishes the discovery messages of a device, and removes the entities that it no longer has. Returns false if the connection
    /// does not accept a message.
    private func publish(_ device: HomeAssistantDevice, to connection: String) -> Bool {
        let messages = device.messages
        for (topic, payload) in messages {
            guard send(topic, payload, to: connection) else { return false }
            brokers[connection]?.published[device.session]?.discoveryTopics.insert(topic)
        }
        let known = brokers[connection]?.published[device.session]?.discoveryTopics ?? []
        for topic in known.subtracting(messages.map(\.topic)).sorted() {
            guard send(topic, "", to: connection) else { return false }
            brokers[connection]?.published[device.session]?.discoveryTopics.remove(topic)
        }
        brokers[connection]?.published[device.session]?.device = device
        return true
    }

    /// Removes the topics of a closed session by empty payloads. Returns false if the connection accepts no more messages.
    private func clear(_ name: SessionName, of connection: String) -> Bool {
        guard let state = brokers[connection],
            let published = brokers[connection]?.published.removeValue(forKey: name)
        else { return true }
        let prefix = state.prefix
        let topics =
            (state.broker.keepsDevices ? [] : published.discoveryTopics.sorted())
            + [prefix.detail(of: name), prefix.state(of: name)]
        if topics.allSatisfy({ send($0, "", to: connection) }) {
            brokers[connection]?.noteCleared(name, published.device, at: loop.timerQueue.now)
            return true
        }
        brokers[connection]?.published[name] = published
        return false
    }
}

extension MQTTPublisher: TurnPart {
    /// Keeps the state of brokers whose lines are unchanged, so that their sessions are not published again. What was published
    /// for a changed or removed line is cleared: by the new connection if it leads to the same broker, otherwise by the old one,
    /// which `RoomSource` closes after this call.
    package func reload(_ options: Options) {
        let settings = settings(options)
        (devices.address, commands.rights) = (settings.address, settings.rights)
        let oldBrokers = exchange(&brokers, with: [:])
        for line in options.room.connections {
            guard let broker = line.broker, let prefix = broker.prefix else { continue }
            let isExclusive =
                remote != nil && options.room.connectionNodes[line.name] == options.node.name
            let unchangedState = oldBrokers[line.name].flatMap {
                $0.broker == broker && $0.isExclusive == isExclusive ? $0 : nil
            }
            brokers[line.name] =
                unchangedState
                ?? PublishingBroker(
                    broker, PublishedPrefix(text: prefix), isExclusive: isExclusive)
        }
        for (connection, old) in oldBrokers.sorted(by: { $0.key < $1.key }) {
            let new = brokers[connection]
            guard new?.broker != old.broker else { continue }
            let isShared = otherDaemons.arePublishing(below: old.prefix, at: connection)
            if new?.prefix != old.prefix || new.map(old.hasSameBroker) != true {
                otherDaemons.forget(old.prefix, at: connection)
            }
            for message in old.farewell(to: new, isShared: isShared) {
                if new.map(old.hasSameBroker) == true {
                    brokers[connection]?.waitingMessages.append(message)
                } else {
                    send(message.topic, message.payload, to: connection)
                }
            }
        }
        for line in options.room.connections {
            let state = brokers[line.name]
            let isArriving = state?.arrival?.answerTimer.isSet ?? true
            connections.setFilters(
                state?.filters(isArriving: isArriving) ?? [], of: line.name)
        }
        if oldBrokers.isEmpty != brokers.isEmpty {
            for journal in journals.values { journal.setWatching(!brokers.isEmpty) }
        }
        remote?.setWatching(brokers.values.contains(where: \.isExclusive))
    }

    /// Publishes what waits. The loop calls this function once in each turn.
    package func flush() {
        if brokers.isEmpty { return }
        for connection in brokers.keys.sorted()
        where brokers[connection].map({ !$0.waiting.isEmpty || !$0.waitingMessages.isEmpty })
            == true
        {
            publish(to: connection)
        }
    }

    /// Publishes `offline`, because a broker does not publish the will when the client itself ends the connection. If another
    /// daemon publishes below the prefix, the status stays `online`.
    package func stop() {
        isStopping = true
        remote?.setWatching(false)
        for (connection, state) in brokers.sorted(by: { $0.key < $1.key })
        where !otherDaemons.arePublishing(below: state.prefix, at: connection) {
            send(state.prefix.status, PublishedPrefix.offline, to: connection)
        }
    }
}
