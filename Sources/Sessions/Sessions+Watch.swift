/// Watching sessions: the present state, the missed changes, and then each new notification.
extension Sessions {
    /// The answer to `watch`.
    public struct Watched {
        /// The sessions at present, up to the limit of a page.
        public let page: SessionPage
        /// The newest row that the page shows.
        public let row: Int
        /// The changes that the watcher missed, to be read one at a time, oldest first.
        public let missed: Missed
    }

    public enum Missed {
        case nothing
        case changes(Replay)
        /// The missed changes are no longer held, or the watcher's number is beyond the newest change. It must
        /// start again from the sessions in the notification.
        case gap(Notification)
    }

    /// Starts notifying `watcher` of one session or of all, or changes its topics. `since` is the last `seq`
    /// that it has received, or for all sessions the last `pos`.
    public func watch(
        _ target: WatchTarget, since: Int? = nil, _ topics: Topics = .changes,
        by watcher: any Watcher
    ) throws(RequestError) -> Watched {
        switch target {
        case .session(let name):
            let session = try session(name)
            subscriptions.set(target, watcher, topics)
            return watched(session, missed(since, of: session, watcher))
        case .all:
            subscriptions.set(target, watcher, topics)
            let (page, more) = list(limit: limits.watchPage, where: watcher.mayObserve)
            return Watched(
                page: SessionPage(sessions: page.map(\.status), more: more), row: newestRow,
                missed: missed(since, page, more, watcher))
        }
    }

    /// Starts notifying a watcher that gives the last `pos` it has received, even for a single session.
    public func watch(
        _ target: WatchTarget, after pos: Int, _ topics: Topics, by watcher: any Watcher
    ) throws(RequestError) -> Watched {
        guard case .session(let name) = target else {
            return try watch(target, since: pos, topics, by: watcher)
        }
        let session = try session(name)
        subscriptions.set(target, watcher, topics)
        let last = session.last?.pos ?? 0
        let missed: Missed
        if !ring.holdsAll(after: pos) {
            missed = .gap(gap(since: pos, session))
        } else {
            let replay = Replay(
                target: target, watcher: watcher, since: pos, next: pos + 1, last: last)
            missed = last <= pos ? .nothing : .changes(replay)
        }
        return watched(session, missed)
    }

    private func watched(_ session: Session, _ missed: Missed) -> Watched {
        Watched(
            page: SessionPage(sessions: [session.status], more: false), row: row(of: session),
            missed: missed)
    }

    /// Ends a watch. Ending a watch that does not exist is not an error.
    public func unwatch(_ target: WatchTarget, by watcher: any Watcher) throws(RequestError) {
        if case .session(let name) = target { _ = try session(name) }
        subscriptions.remove(target, watcher)
    }

    private func missed(_ since: Int?, of session: Session, _ watcher: any Watcher)
        -> Missed
    {
        guard let since else { return .nothing }
        guard let next = ring.position(after: since, upTo: session.last) else {
            return .gap(gap(since: since, session))
        }
        let last = session.last?.pos ?? 0
        let replay = Replay(
            target: .session(session.name), watcher: watcher, since: since, next: next, last: last)
        return next > last ? .nothing : .changes(replay)
    }

    private func missed(
        _ since: Int?, _ page: [Session], _ more: Bool, _ watcher: any Watcher
    ) -> Missed {
        guard let since else { return .nothing }
        guard ring.holdsAll(after: since) else {
            return .gap(gap(since: since, page, more))
        }
        let replay = Replay(
            target: .all, watcher: watcher, since: since, next: since + 1, last: pos)
        return since == pos ? .nothing : .changes(replay)
    }

    /// Returns the present state of a session, which replaces missed changes.
    func gap(since: Int, _ session: Session) -> Notification {
        Notification(
            .gap(Gap(since: since, pos: pos, present: .session(session.status))),
            row: row(of: session))
    }

    /// Returns the present state of all sessions, which replaces missed changes.
    func gap(since: Int, _ page: [Session], _ more: Bool) -> Notification {
        let present = SessionPage(sessions: page.map(\.status), more: more)
        return Notification(
            .gap(Gap(since: since, pos: pos, present: .all(present))), row: newestRow)
    }
}
