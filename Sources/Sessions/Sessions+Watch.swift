/// Watching: what is there, what was missed, and then what happens.
extension Sessions {
    /// What a watcher gets at once.
    public struct Watched {
        /// The sessions as they are, up to the limit of a page.
        public let page: SessionPage
        /// The newest row that the page shows.
        public let row: Int
        /// What it missed is to be had piece by piece, oldest first.
        public let missed: Missed
    }

    public enum Missed {
        case nothing
        case changes(Replay)
        /// What it missed is gone, or it is ahead of the present: it begins anew from the sessions.
        case gap(Notification)
    }

    /// Begins to tell `watcher` of a session or of all, or changes what it is told. `since` is the last
    /// `seq` it saw, or for all sessions the last `pos`.
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

    /// The same for a watcher that knows the daemon's last position it saw, also of a single session.
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

    /// Ends a watch; one that is not there is no error.
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

    /// The present of a session, in the place of changes that are gone.
    func gap(since: Int, _ session: Session) -> Notification {
        Notification(
            .gap(Gap(since: since, pos: pos, present: .session(session.status))),
            row: row(of: session))
    }

    /// The present of all sessions.
    func gap(since: Int, _ page: [Session], _ more: Bool) -> Notification {
        let present = SessionPage(sessions: page.map(\.status), more: more)
        return Notification(
            .gap(Gap(since: since, pos: pos, present: .all(present))), row: newestRow)
    }
}
