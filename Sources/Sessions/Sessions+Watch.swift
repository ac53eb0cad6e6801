/// Watching: what is there, what was missed, and then what happens.
extension Sessions {
    /// What a watcher gets at once.
    public struct Watched {
        /// The sessions as they are, up to the limit of a page.
        public let sessions: [Session]
        public let more: Bool
        /// What it missed is to be had piece by piece, oldest first.
        public let missed: Missed
    }

    public enum Missed {
        case nothing
        case changes(Replay)
        /// What it missed is gone, or it is ahead of the present: it begins anew from the sessions.
        case gap(Notice)
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
            session.watchers.set(watcher, topics)
            return Watched(
                sessions: [session], more: false, missed: missed(since, of: session, watcher))
        case .all:
            watchersOfAll.set(watcher, topics)
            let (page, more) = list(limit: limits.watchPage, where: watcher.mayObserve)
            return Watched(
                sessions: page, more: more, missed: missed(since, page, more, watcher))
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
        session.watchers.set(watcher, topics)
        let last = session.last?.pos ?? 0
        let missed: Missed
        if !ring.holdsAll(after: pos) {
            missed = .gap(gap(since: pos, session))
        } else {
            let replay = Replay(
                target: target, watcher: watcher, since: pos, next: pos + 1, last: last)
            missed = last <= pos ? .nothing : .changes(replay)
        }
        return Watched(sessions: [session], more: false, missed: missed)
    }

    /// Ends a watch; one that is not there is no error.
    public func unwatch(_ target: WatchTarget, by watcher: any Watcher) throws(RequestError) {
        switch target {
        case .session(let name): try session(name).watchers.remove(watcher)
        case .all: watchersOfAll.remove(watcher)
        }
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

    /// The present of a session, for who asked for what is gone.
    func gap(since: Int, _ session: Session) -> Notice {
        Notice("gap", mark: session.written.mark.position, pos: pos) {
            $0.gap(since: since, session)
        }
    }

    /// The present of all sessions.
    func gap(since: Int, _ page: [Session], _ more: Bool) -> Notice {
        Notice("gap", mark: newestRow, pos: pos) {
            $0.gap(since: since, pos: pos, page, more: more)
        }
    }
}
