internal import GameFlow
internal import Support

/// Who watches which sessions, and what they are still to be told.
struct Subscriptions {
    private var ofSessions: [SessionName: WatcherList] = [:]
    private var ofAll = WatcherList()
    private var pending = Deque<Pending>()
    /// Whether notices wait: virtual time moves, and what happens on the way is told when the move is recorded.
    private(set) var isHeld = false
    private var isTelling = false

    private struct Pending {
        let content: Notice.Content
        let topic: Topics
        let session: SessionName
        let row: Int
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

    /// Tells watchers that their session is over, unless they watch another one of the same name by now.
    func end(_ watchers: WatcherList, of session: SessionName) {
        let successor = ofSessions[session]
        for (watcher, _) in watchers.watchers where successor?.has(watcher) != true {
            watcher.ended(session)
        }
    }

    // MARK: telling

    mutating func add(
        _ content: Notice.Content, _ topic: Topics, of session: SessionName, row: Int
    ) {
        pending.append(Pending(content: content, topic: topic, session: session, row: row))
    }

    /// False if somebody tells already: they go on with what was added.
    mutating func beginTelling() -> Bool { !exchange(&isTelling, with: true) }

    mutating func endTelling() { isTelling = false }

    mutating func hold() { isHeld = true }

    /// What waited may be told once a row is durable.
    mutating func letGo(after row: Int) {
        isHeld = false
        var held = Deque<Pending>()
        while let next = pending.removeFirst() {
            held.append(
                Pending(
                    content: next.content, topic: next.topic, session: next.session,
                    row: next.row > 0 ? row : 0))
        }
        pending = held
    }

    /// The next notice, and who is told of it.
    mutating func next() -> (notice: Notice, session: SessionName, watchers: [any Watcher])? {
        guard !isHeld, let next = pending.removeFirst() else { return nil }
        let lists = [ofSessions[next.session], ofAll].compactMap { $0 }
        let watchers = lists.flatMap { $0.watchers.filter { $0.topics.contains(next.topic) } }
        return (Notice(next.content, row: next.row), next.session, watchers.map(\.watcher))
    }
}

extension Sessions {
    func wants(_ topic: Topics, of session: SessionName) -> Bool {
        subscriptions.want(topic, of: session)
    }

    /// Puts something behind what watchers are told; it is made only if somebody watches that.
    /// While the store is out nothing is told that will be taken back.
    func notice(_ topic: Topics, of session: Session, _ make: () -> Notice.Content) {
        if recording.outage != nil, topic != .refusals { return }
        guard wants(topic, of: session.name) else { return }
        subscriptions.add(make(), topic, of: session.name, row: row(of: session))
    }

    /// A session is over: whoever watched it by name is told so.
    func endWatches(of session: SessionName) {
        let watchers = subscriptions.take(of: session)
        subscriptions.end(watchers, of: session)
    }

    /// Tells watchers what has happened, in order. A watcher may call the sessions: what comes of that is told to all
    /// of them behind what was there before.
    func publish() {
        guard subscriptions.beginTelling() else { return }
        defer { subscriptions.endTelling() }
        while let (notice, session, watchers) = subscriptions.next() {
            for watcher in watchers where watcher.mayObserve(session) { watcher.notify(notice) }
        }
    }
}
