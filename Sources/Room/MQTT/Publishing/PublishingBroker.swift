import Inputs
package import Sessions
package import Support
package import Timers

/// What one broker has received from `MQTTPublisher`, and what is to be published there.
package struct PublishingBroker {
    package let broker: MQTTBroker
    package let prefix: PublishedPrefix
    /// Whether nodes share a database, and only this node has the connection.
    let isExclusive: Bool
    /// Messages that are to be published before the sessions: what clears the topics of an earlier line.
    var waitingMessages = Deque<Message>()
    /// The sessions that are to be published, in the order of their changes.
    package var waiting = Deque<SessionName>()
    /// The row of the newest change of each session in `waiting`; 0 if the session is to be published without a change.
    package var rows: [SessionName: Int] = [:]
    /// The sessions whose topics the broker has.
    package var published: [SessionName: PublishedTopics] = [:]
    /// The sessions whose topics were cleared in the last time, oldest first. Home Assistant may have been away.
    package private(set) var cleared: [ClearedSession] = []
    /// The sessions of other nodes whose status was requested and has not arrived yet.
    var requestedSessions: Set<SessionName> = []
    /// What is done after the daemon has connected; nil while it is not connected.
    package var arrival: Arrival?

    package init(_ broker: MQTTBroker, _ prefix: PublishedPrefix, isExclusive: Bool) {
        (self.broker, self.prefix, self.isExclusive) = (broker, prefix, isExclusive)
    }

    package struct Message: Equatable {
        package let topic: String
        package let payload: String
        package var isRetained = true
    }

    /// A session whose topics were cleared, the device that Home Assistant had for it, and when it was cleared.
    package struct ClearedSession {
        package let name: SessionName
        let device: HomeAssistantDevice
        package let at: Instant
    }

    /// The maximum number of sessions in `cleared`, and for how long they are kept.
    static let clearedLimit = 100
    static let clearedTime = Duration.seconds(86_400)

    /// What a broker has received of one session.
    package struct PublishedTopics {
        /// The number of the change that was published last; 0 if an earlier run of a daemon has published the session.
        package var seq = 0
        /// The state that was published last; nil if it has to be published again.
        package var state: String?
        /// The device whose discovery messages were sent last; nil if they have to be sent again: when the daemon has connected to
        /// the broker, and when Home Assistant has started.
        var device: HomeAssistantDevice?
        /// The topics of the discovery messages that the broker has.
        var discoveryTopics: Set<String> = []
    }

    /// What is done after the daemon has connected to the broker, or Home Assistant has started: first the topics of all
    /// sessions are published, and then `online`. So a subscriber that waits for `online` never sees an old state.
    package struct Arrival {
        /// The sessions that are to be published before `online`.
        package var sessions: Set<SessionName> = []
        /// The sessions and the topics that the broker has retained, and that this daemon does not have. They are cleared unless
        /// another daemon answers that it publishes below the prefix.
        var ghosts: Set<SessionName> = []
        var ghostTopics: [String: SessionName] = [:]
        /// Whether the broker has delivered the retained messages: it has returned this daemon's claim, or the time is over.
        var hasRetainedMessages = false
        /// Ends the time for answers of other daemons.
        var answerTimer = Alarm()
        /// Whether `online` was published.
        var isAnnounced = false

        /// Whether `online` can be published.
        package var isComplete: Bool {
            sessions.isEmpty && hasRetainedMessages && ghosts.isEmpty && ghostTopics.isEmpty
        }
    }

    /// Adds a session that is to be published. `row` is the row of its newest change; 0 to publish it without a change.
    package mutating func add(_ session: SessionName, _ row: Int = 0) {
        if rows.updateValue(max(row, rows[session] ?? 0), forKey: session) == nil {
            waiting.append(session)
        }
    }

    /// Adds a session that is to be published before `online`.
    mutating func addBeforeOnline(_ session: SessionName) {
        add(session)
        if arrival?.isAnnounced == false { arrival?.sessions.insert(session) }
    }

    /// Notes that the topics of a session with this device were cleared.
    mutating func noteCleared(
        _ session: SessionName, _ device: HomeAssistantDevice?, at now: Instant
    ) {
        cleared.removeAll { $0.name == session || now - $0.at > Self.clearedTime }
        guard let device, !broker.keepsDevices else { return }
        if cleared.count >= Self.clearedLimit { cleared.removeFirst() }
        cleared.append(ClearedSession(name: session, device: device, at: now))
    }

    /// Adds the messages that remove the cleared sessions from a Home Assistant that has started. It removes only what it has
    /// discovered, so the discovery message comes first, and is not retained. `isOpen` returns whether a session is open again.
    mutating func clearAgain(at now: Instant, unless isOpen: (SessionName) -> Bool) {
        for session in cleared.map(\.name).filter({ published[$0] != nil || isOpen($0) }) {
            cleared.removeAll { $0.name == session }
        }
        for session in cleared where now - session.at <= Self.clearedTime {
            let messages = session.device.messages
            for (topic, payload) in messages {
                waitingMessages.append(
                    Message(topic: topic, payload: payload, isRetained: false))
            }
            for topic in messages.map(\.topic)
                + [prefix.detail(of: session.name), prefix.state(of: session.name)]
            {
                waitingMessages.append(Message(topic: topic, payload: ""))
            }
        }
    }

    /// The topics that the connection needs: those for a while after it was made, or those that it needs always.
    func filters(isArriving: Bool) -> [String] {
        var filters = [prefix.status, prefix.claims]
        if broker.hasDiscovery { filters.append(HomeAssistant.birthTopic) }
        if broker.hasControls { filters += prefix.commandFilters }
        guard isArriving else { return filters }
        filters += prefix.sessionFilters
        if broker.hasDiscovery { filters.append(HomeAssistant.configurationFilter) }
        return filters
    }

    /// The messages that remove what the broker has received, when the line changes to `new`; nil if the line is removed. `isShared`:
    /// other daemons publish below the prefix, too.
    func farewell(to new: PublishingBroker?, isShared: Bool) -> [Message] {
        let keepsPrefix = new?.prefix == prefix && new.map(hasSameBroker) == true
        let keepsDiscovery = keepsPrefix && new?.broker.hasDiscovery == true
        var topics: [String] = []
        for session in published.keys.sorted() {
            if !keepsDiscovery { topics += published[session]?.discoveryTopics.sorted() ?? [] }
            if !keepsPrefix { topics += [prefix.detail(of: session), prefix.state(of: session)] }
        }
        let status =
            keepsPrefix || isShared
            ? [] : [Message(topic: prefix.status, payload: PublishedPrefix.offline)]
        // The status comes last: its echo may reach a connection that is closed already, and mosquitto then drops what it has not
        // read.
        return topics.map { Message(topic: $0, payload: "") } + status
    }

    /// Whether another line leads to the same broker.
    func hasSameBroker(as other: PublishingBroker) -> Bool {
        broker.host == other.broker.host && broker.port == other.broker.port
    }
}
