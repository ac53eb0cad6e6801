internal import GameFlow
internal import Support

/// The watchers of sessions, and the notifications that wait to be sent to these watchers.
struct Subscriptions {
    /// The watchers of single sessions, by the session's name.
    private var watchersByName: [SessionName: WatcherList] = [:]
    /// The watchers of the target `all`.
    private var globalWatchers = WatcherList()
    private var pending = Deque<Pending>()
    /// Whether notifications are held back. Notifications are held back while virtual time moves, and are sent after the move
    /// is recorded.
    private var isHeld = false
    /// Whether `Sessions.publish` is sending notifications.
    private var isDelivering = false
    /// The number of watchers that were notified since the start, each once for each notification.
    fileprivate(set) var notifiedCount = 0

    /// A waiting notification and its receivers.
    enum Pending {
        case notification(Notification, SessionName, to: [any Watcher])
        /// The end of a session that the receivers watched by name.
        case end(SessionName, to: [any Watcher])
    }

    /// Whether a topic of a session has a watcher.
    func hasWatcher(_ topic: Topics, of session: SessionName) -> Bool {
        globalWatchers.hasWatcher(of: topic)
            || !watchersByName.isEmpty && watchersByName[session]?.hasWatcher(of: topic) == true
    }

    /// Adds a watch, or replaces the topics of an existing one.
    mutating func set(_ target: WatchTarget, _ watcher: any Watcher, _ topics: Topics) {
        switch target {
        case .session(let name): watchersByName[name, default: WatcherList()].set(watcher, topics)
        case .all: globalWatchers.set(watcher, topics)
        }
    }

    mutating func remove(_ target: WatchTarget, _ watcher: any Watcher) {
        switch target {
        case .session(let name):
            watchersByName[name]?.remove(watcher)
            if watchersByName[name]?.watchers.isEmpty == true { watchersByName[name] = nil }
        case .all: globalWatchers.remove(watcher)
        }
    }

    /// The topics of a watch; nil if the watcher does not watch the target.
    func topics(of target: WatchTarget, by watcher: any Watcher) -> Topics? {
        let list =
            switch target {
            case .session(let name): watchersByName[name] ?? WatcherList()
            case .all: globalWatchers
            }
        return list.watchers.first { $0.watcher === watcher }?.topics
    }

    /// Returns the watchers of the target `all` that have selected a topic. Used for a topic that belongs to no session,
    /// such as inputs.
    func watchersOfAll(_ topic: Topics) -> [any Watcher] { globalWatchers.watchers(of: topic) }

    // MARK: closed sessions

    /// The watchers that watch a session by name.
    func watchers(of session: SessionName) -> WatcherList {
        watchersByName[session] ?? WatcherList()
    }

    /// Removes and returns the watchers that watch a closed session by name. The caller notifies them, with `addEnd`, after the
    /// closing is durable.
    @discardableResult mutating func removeWatchers(of session: SessionName) -> WatcherList {
        watchersByName.removeValue(forKey: session) ?? WatcherList()
    }

    /// Puts back the watchers of a session whose closing was undone.
    mutating func restore(_ watchers: WatcherList, of session: SessionName) {
        for (watcher, topics) in watchers.watchers {
            if watchersByName[session]?.has(watcher) == true { continue }
            watchersByName[session, default: WatcherList()].set(watcher, topics)
        }
    }

    /// Adds the notification that a session has ended. When the notification is sent, `next` leaves out the watchers that then
    /// watch a new session of the same name.
    mutating func addEnd(_ watchers: WatcherList, of session: SessionName) {
        guard !watchers.watchers.isEmpty else { return }
        pending.append(.end(session, to: watchers.watchers.map(\.watcher)))
    }

    // MARK: sending notifications

    /// Appends a notification for all present watchers of this topic of the session. `row` is the position of the journal row
    /// that must be durable before the notification is sent; 0 for none.
    mutating func add(
        _ content: Notification.Content, _ topic: Topics, of session: SessionName, row: Int
    ) {
        var watchers: [any Watcher] = []
        // Most sessions have no watcher by name.
        if !watchersByName.isEmpty { watchersByName[session]?.add(to: &watchers, topic) }
        globalWatchers.add(to: &watchers, topic)
        pending.append(.notification(Notification(content, row: row), session, to: watchers))
    }

    var hasPending: Bool { !pending.isEmpty }

    /// Marks the start of sending. Returns false if an outer call of `publish` is already sending notifications; the outer
    /// call then also sends the added ones.
    mutating func beginDelivery() -> Bool { !exchange(&isDelivering, with: true) }

    mutating func endDelivery() { isDelivering = false }

    /// Holds all notifications back until `release`.
    mutating func hold() { isHeld = true }

    /// Releases the held notifications. `newest` is the row that records the move of virtual time. A notification that waits
    /// for a row (`row` > 0) may be sent only when the row `newest` is durable.
    mutating func release(after newest: Int) {
        isHeld = false
        var released = Deque<Pending>()
        while let next = pending.removeFirst() {
            guard case .notification(let notification, let session, let watchers) = next,
                notification.row > 0
            else {
                released.append(next)
                continue
            }
            released.append(
                .notification(
                    Notification(notification.content, row: newest), session, to: watchers))
        }
        pending = released
    }

    /// Removes and returns the next notification to send; nil while notifications are held.
    mutating func next() -> Pending? {
        guard !isHeld, let next = pending.removeFirst() else { return nil }
        guard case .end(let session, let watchers) = next else { return next }
        let presentWatchers = watchersByName[session]
        return .end(session, to: watchers.filter { presentWatchers?.has($0) != true })
    }
}

extension Sessions {
    /// The names of the topics of a watch; empty if the watcher does not watch the target.
    package func topics(of target: WatchTarget, by watcher: any Watcher) -> [String] {
        subscriptions.topics(of: target, by: watcher)?.names ?? []
    }

    /// Whether a topic of a session has a watcher.
    func hasWatcher(_ topic: Topics, of session: SessionName) -> Bool {
        subscriptions.hasWatcher(topic, of: session)
    }

    /// Adds a notification if the topic has a watcher; `make` is called only then. While the store does not work,
    /// only refusals are added, because changes would be undone.
    func queueNotification(_ topic: Topics, of session: Session, _ make: () -> Notification.Content)
    {
        if recording.outage != nil, topic != .refusals { return }
        guard hasWatcher(topic, of: session.name) else { return }
        subscriptions.add(make(), topic, of: session.name, row: row(of: session))
    }

    /// Ends all watches of a session by name, and notifies their watchers of the session's end.
    func endWatches(of session: SessionName) {
        let watchers = subscriptions.removeWatchers(of: session)
        subscriptions.addEnd(watchers, of: session)
        publish()
    }

    /// Notifies the watchers of the topic `inputs` of an input that matches no line of the configuration. The notification
    /// shows no change, so it waits for no row and is sent at once.
    public func announce(_ input: @autoclosure () -> UnmatchedInput) {
        let watchers = subscriptions.watchersOfAll(.inputs)
        guard !watchers.isEmpty else { return }
        let notification = Notification(.input(input()))
        for watcher in watchers { watcher.notify(notification) }
    }

    /// The number of watchers that were notified since the start, each once for each notification. From its growth a caller
    /// knows how long a request has taken.
    public var notifiedCount: Int { subscriptions.notifiedCount }

    /// Sends the waiting notifications in order. A watcher may call the sessions while it is notified. The notifications of
    /// that call are sent after the notifications that already wait.
    func publish() {
        guard subscriptions.hasPending, subscriptions.beginDelivery() else { return }
        defer { subscriptions.endDelivery() }
        while let next = subscriptions.next() {
            switch next {
            case .notification(let notification, let session, let watchers):
                subscriptions.notifiedCount += watchers.count
                for watcher in watchers where watcher.mayObserve(session) {
                    watcher.notify(notification)
                }
            case .end(let session, let watchers): for watcher in watchers { watcher.ended(session) }
            }
        }
    }
}

/// Watching sessions: the present state, the missed changes, and then each new notification.
extension Sessions {
    /// The result of `watch`.
    public struct WatchResult {
        /// The sessions at present, up to the limit of a page.
        public let page: SessionPage
        /// The position of the newest journal row that the page shows. The page may be sent when that row is durable.
        public let row: Int
        /// The changes that the watcher missed, to be read one at a time, oldest first.
        public let missed: Missed
    }

    /// The changes that a watcher missed before its watch began.
    public enum Missed {
        case nothing
        case changes(Replay)
        /// The missed changes are no longer in `Sessions.ring`, or the watcher gave a number beyond the newest change. The
        /// watcher must start again from the sessions in the notification.
        case gap(Notification)

        /// What a watcher of these topics gets of it: the changes only if it watches changes.
        fileprivate func part(for topics: Topics) -> Missed {
            if case .changes = self, !topics.contains(.changes) { .nothing } else { self }
        }
    }

    /// Starts to notify `watcher` of one session or of all sessions. If the watch exists already, changes its topics. `since`
    /// is the number of the last change that the watcher has received: its `seq` for one session, its `pos` for all sessions.
    public func watch(
        _ target: WatchTarget, since: Int? = nil, _ topics: Topics = .changes,
        by watcher: any Watcher
    ) throws(RequestError) -> WatchResult {
        switch target {
        case .session(let name):
            let session = try session(name)
            subscriptions.set(target, watcher, topics)
            return watchResult(session, missed(since, of: session, watcher).part(for: topics))
        case .all:
            subscriptions.set(target, watcher, topics)
            let (page, more) = list(limit: limits.watchPage, where: watcher.mayObserve)
            return WatchResult(
                page: SessionPage(sessions: page.map(\.status), more: more), row: newestRow,
                missed: missed(since, page, more: more, watcher).part(for: topics))
        }
    }

    /// Does the same as `watch` with `since`, but with the `pos` of the last change that the watcher has received, even if the
    /// target is one session. A cursor contains this number.
    public func watch(
        _ target: WatchTarget, afterPos pos: Int, _ topics: Topics, by watcher: any Watcher
    ) throws(RequestError) -> WatchResult {
        guard case .session(let name) = target else {
            return try watch(target, since: pos, topics, by: watcher)
        }
        let session = try session(name)
        subscriptions.set(target, watcher, topics)
        let last = session.lastPos
        let missed: Missed
        if !ring.holdsAll(after: pos) {
            missed = .gap(gap(since: pos, session))
        } else {
            let replay = Replay(
                target: target, watcher: watcher, since: pos, next: pos + 1, last: last)
            missed = last <= pos ? .nothing : .changes(replay)
        }
        return watchResult(session, missed.part(for: topics))
    }

    private func watchResult(_ session: Session, _ missed: Missed) -> WatchResult {
        WatchResult(
            page: SessionPage(sessions: [session.status], more: false), row: row(of: session),
            missed: missed)
    }

    /// Ends a watch. Ending a watch that does not exist is not an error.
    public func unwatch(_ target: WatchTarget, by watcher: any Watcher) throws(RequestError) {
        if case .session(let name) = target { _ = try session(name) }
        subscriptions.remove(target, watcher)
    }

    /// Returns the changes of one session that a watcher missed after the change with the `seq` `since`. If `since` is nil, the
    /// watcher missed nothing.
    private func missed(_ since: Int?, of session: Session, _ watcher: any Watcher)
        -> Missed
    {
        guard let since else { return .nothing }
        guard let next = ring.position(after: since, upTo: session) else {
            return .gap(gap(since: since, session))
        }
        let last = session.lastPos
        let replay = Replay(
            target: .session(session.name), watcher: watcher, since: since, next: next, last: last)
        return next > last ? .nothing : .changes(replay)
    }

    /// Returns the changes of all sessions that a watcher missed after the change with the `pos` `since`. If `since` is nil,
    /// the watcher missed nothing. `page` contains the sessions for a gap; `more` says whether there are more sessions than in
    /// `page`.
    private func missed(
        _ since: Int?, _ page: [Session], more: Bool, _ watcher: any Watcher
    ) -> Missed {
        guard let since else { return .nothing }
        guard ring.holdsAll(after: since) else {
            return .gap(gap(since: since, page, more: more))
        }
        let replay = Replay(
            target: .all, watcher: watcher, since: since, next: since + 1, last: pos)
        return since == pos ? .nothing : .changes(replay)
    }

    /// Returns the notification with the present state of a session, which replaces the missed changes after `since`.
    func gap(since: Int, _ session: Session) -> Notification {
        Notification(
            .gap(Gap(since: since, pos: pos, present: .session(session.status))),
            row: row(of: session))
    }

    /// Returns the notification with the present state of all sessions, which replaces the missed changes after `since`.
    func gap(since: Int, _ page: [Session], more: Bool) -> Notification {
        let present = SessionPage(sessions: page.map(\.status), more: more)
        return Notification(
            .gap(Gap(since: since, pos: pos, present: .all(present))), row: newestRow)
    }
}
