internal import GameFlow
internal import Support

/// The watchers of sessions, and the notifications that are waiting to be sent to them.
struct Subscriptions {
    private var ofSessions: [SessionName: WatcherList] = [:]
    private var ofAll = WatcherList()
    private var pending = Deque<Pending>()
    /// Whether notifications are held back. They are held while virtual time moves, and sent after the move is
    /// recorded.
    private var isHeld = false
    private var isTelling = false

    /// A waiting notification and its receivers.
    enum Pending {
        case notice(Notification.Content, row: Int, SessionName, to: [any Watcher])
        /// The end of a session that the receivers watched by name.
        case end(SessionName, of: [any Watcher])
    }

    /// Whether a topic of a session has a watcher.
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

    // MARK: closed sessions

    /// Removes and returns the watchers of a closed session by name. They are notified after the closing is
    /// durable.
    mutating func take(of session: SessionName) -> WatcherList {
        ofSessions.removeValue(forKey: session) ?? WatcherList()
    }

    /// Puts back the watchers of a session whose closing was undone.
    mutating func put(back watchers: WatcherList, of session: SessionName) {
        for (watcher, topics) in watchers.watchers {
            if ofSessions[session]?.has(watcher) == true { continue }
            ofSessions[session, default: WatcherList()].set(watcher, topics)
        }
    }

    /// Adds the notification that a session has ended. Watchers that by then watch another session with the
    /// same name do not receive it.
    mutating func end(_ watchers: WatcherList, of session: SessionName) {
        guard !watchers.watchers.isEmpty else { return }
        pending.append(.end(session, of: watchers.watchers.map(\.watcher)))
    }

    // MARK: sending notifications

    /// Appends a notification for all present watchers of this topic of the session.
    mutating func add(
        _ content: Notification.Content, _ topic: Topics, of session: SessionName, row: Int
    ) {
        let lists = [ofSessions[session], ofAll].compactMap { $0 }
        let watchers = lists.flatMap { $0.watchers.filter { $0.topics.contains(topic) } }
        pending.append(.notice(content, row: row, session, to: watchers.map(\.watcher)))
    }

    var hasPending: Bool { !pending.isEmpty }

    /// Marks the start of sending. Returns false if notifications are already being sent; the outer call then
    /// sends the added ones.
    mutating func beginTelling() -> Bool { !exchange(&isTelling, with: true) }

    mutating func endTelling() { isTelling = false }

    mutating func hold() { isHeld = true }

    /// Releases the held notifications. They may be sent after the row `newest` is durable.
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

    /// Removes and returns the next notification to send.
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

    /// Adds a notification if the topic has a watcher; only then is `make` called. While the store is out, adds
    /// nothing that would be undone.
    func notice(_ topic: Topics, of session: Session, _ make: () -> Notification.Content) {
        if recording.outage != nil, topic != .refusals { return }
        guard wants(topic, of: session.name) else { return }
        subscriptions.add(make(), topic, of: session.name, row: row(of: session))
    }

    /// Notifies the watchers of a session by name that it has ended.
    func endWatches(of session: SessionName) {
        let watchers = subscriptions.take(of: session)
        subscriptions.end(watchers, of: session)
        publish()
    }

    /// Sends the waiting notifications in order. A watcher may call the sessions; the resulting notifications
    /// are sent after the earlier ones.
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
