internal import GameFlow
internal import Support

/// Who watches which sessions, and what they are still to be told.
struct Subscriptions {
    private var ofSessions: [SessionName: WatcherList] = [:]
    private var ofAll = WatcherList()
    private var pending = Deque<Pending>()
    /// Whether notices wait: virtual time moves, and what happens on the way is told when the move is recorded.
    private var isHeld = false
    private var isTelling = false

    /// Something to tell, and whom.
    enum Pending {
        case notice(Notification.Content, row: Int, SessionName, to: [any Watcher])
        /// The session that they watched by name is over.
        case end(SessionName, of: [any Watcher])
    }

    /// Whether anybody watches a topic of a session.
    func want(_ topic: Topics, of session: SessionName) -> Bool {
        ofAll.want(topic) || ofSessions[session]?.want(topic) == true
    }

    mutating func set(_ target: WatchTarget, _ watcher: any Watcher, _ topics: Topics) {
        switch target {
        case .session(let name): ofSessions[name, default: WatcherList()].set(watcher, topics)
        case .all: ofAll.set(watcher, topics)
        }
    }

    mutating func remove(_ target: WatchTarget, _ watcher: any Watcher) {
        switch target {
        case .session(let name):
            ofSessions[name]?.remove(watcher)
            if ofSessions[name]?.watchers.isEmpty == true { ofSessions[name] = nil }
        case .all: ofAll.remove(watcher)
        }
    }

    // MARK: sessions that end

    /// The session is closed: who watched it by name. They are told when that is durable.
    mutating func take(of session: SessionName) -> WatcherList {
        ofSessions.removeValue(forKey: session) ?? WatcherList()
    }

    /// The session is not closed after all.
    mutating func put(back watchers: WatcherList, of session: SessionName) {
        for (watcher, topics) in watchers.watchers {
            if ofSessions[session]?.has(watcher) == true { continue }
            ofSessions[session, default: WatcherList()].set(watcher, topics)
        }
    }

    /// Watchers are told that their session is over, unless they watch another one of the same name by then.
    mutating func end(_ watchers: WatcherList, of session: SessionName) {
        guard !watchers.watchers.isEmpty else { return }
        pending.append(.end(session, of: watchers.watchers.map(\.watcher)))
    }

    // MARK: telling

    /// Puts a notice behind what is to be told, for all who watch that topic of the session now.
    mutating func add(
        _ content: Notification.Content, _ topic: Topics, of session: SessionName, row: Int
    ) {
        let lists = [ofSessions[session], ofAll].compactMap { $0 }
        let watchers = lists.flatMap { $0.watchers.filter { $0.topics.contains(topic) } }
        pending.append(.notice(content, row: row, session, to: watchers.map(\.watcher)))
    }

    var hasPending: Bool { !pending.isEmpty }

    /// False if somebody tells already: they go on with what was added.
    mutating func beginTelling() -> Bool { !exchange(&isTelling, with: true) }

    mutating func endTelling() { isTelling = false }

    mutating func hold() { isHeld = true }

    /// What waited may be told once the row `newest` is durable.
    mutating func release(after newest: Int) {
        isHeld = false
        var waited = Deque<Pending>()
        while let next = pending.removeFirst() {
            guard case .notice(let content, let row, let session, let watchers) = next, row > 0
            else {
                waited.append(next)
                continue
            }
            waited.append(.notice(content, row: newest, session, to: watchers))
        }
        pending = waited
    }

    /// What is to be told next.
    mutating func next() -> Pending? {
        guard !isHeld, let next = pending.removeFirst() else { return nil }
        guard case .end(let session, let watchers) = next else { return next }
        let successor = ofSessions[session]
        return .end(session, of: watchers.filter { successor?.has($0) != true })
    }
}

extension Sessions {
    func wants(_ topic: Topics, of session: SessionName) -> Bool {
        subscriptions.want(topic, of: session)
    }

    /// Puts something behind what watchers are told; it is made only if somebody watches that.
    /// While the store is out nothing is told that will be taken back.
    func notice(_ topic: Topics, of session: Session, _ make: () -> Notification.Content) {
        if recording.outage != nil, topic != .refusals { return }
        guard wants(topic, of: session.name) else { return }
        subscriptions.add(make(), topic, of: session.name, row: row(of: session))
    }

    /// Tells the watchers of a session by name that it is over.
    func endWatches(of session: SessionName) {
        let watchers = subscriptions.take(of: session)
        subscriptions.end(watchers, of: session)
        publish()
    }

    /// Tells watchers what has happened, in order. A watcher may call the sessions: what comes of that is told to all
    /// of them behind what was there before.
    func publish() {
        guard subscriptions.hasPending, subscriptions.beginTelling() else { return }
        defer { subscriptions.endTelling() }
        while let next = subscriptions.next() {
            switch next {
            case .notice(let content, let row, let session, let watchers):
                let notice = Notification(content, row: row)
                for watcher in watchers where watcher.mayObserve(session) {
                    watcher.notify(notice)
                }
            case .end(let session, let watchers): for watcher in watchers { watcher.ended(session) }
            }
        }
    }
}
