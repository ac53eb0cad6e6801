public import GameFlow
internal import Timers

/// Moving a session to the newest version of its flow.
extension Sessions {
    /// Moves a session to the newest version of its flow, with its state, data, timers and settings. Without a newer
    /// version nothing changes. Throws `invalid` with the name of the state, datum, deferred event or setting that the newest
    /// version does not accept. Returns the change.
    ///
    /// `version` is set only by a replay: the version to which the session was moved.
    @discardableResult public func move(
        _ session: Session, to version: AnyFlow? = nil, _ context: RequestContext
    ) throws(RequestError) -> Answer<Change> {
        if let cached = cachedAnswer(to: context, of: session.name) {
            return Answer(cached.value.change, row: cached.row)
        }
        try check(context.entry, session)
        try checkCall(on: session.name)
        let (old, present) = (session.flow, session.machine.place)
        let new: AnyFlow
        if let version { new = version } else { new = try newest(for: session) }
        let details = Change.Details.move(from: old.versionText, to: new.versionText)
        let change: Change
        if new.version == old.version, new.source?.version == old.source?.version {
            change = session.unnumbered(
                Step(.move, from: context.source, present, present), details: details)
            var rows = CallRows(id: context.id)
            recordAnswer(change, of: session, after: session.last, &rows)
        } else {
            let before = isRecorded ? PriorState(session) : nil
            let snapshot: MachineSnapshot
            do throws(Reason) {
                snapshot = try new.continuation(of: session.machine.snapshot, from: old, at: now)
                try session.replaceMachine(new, snapshot)
            } catch { throw explain(error, state: present.state, new) }
            let step = Step(.move, from: context.source, present, session.machine.place)
            _ = run(id: context.id, on: session, details: details, before: before) {
                session.completed(step)
            }
            change = session.lastChange
        }
        remember(CachedAnswer(change: change, content: .change), context, of: session)
        return Answer(change, row: row(of: session))
    }

    /// Returns the newest version of a session's flow with those settings of the session that the newest
    /// version still has.
    private func newest(for session: Session) throws(RequestError) -> AnyFlow {
        let newest = try catalog.newestWithDefaults(session.flow.name)
        let settings = session.flow.changedSettings.filter { setting in
            newest.settings.contains { $0.name == setting.name }
        }
        do throws(Reason) { return try catalog.flow(newest, with: settings) } catch {
            throw .invalid(
                .session(session.name.text), argument: error.subject, why: error.why)
        }
    }
}

extension AnyFlow {
    /// The version as clients see it: a number, or the beginning of the text's SHA-256.
    public var versionText: String { source?.version ?? "\(version)" }
}

extension Sessions {
    /// How many sessions play a version of a flow.
    public struct VersionCount: Equatable, Sendable {
        public let flow: String
        public let version: String
        public let sessions: Int
    }

    /// The versions that open sessions play, by flow and version. Takes time in proportion to the number of sessions.
    public var versionCounts: [VersionCount] {
        var counts: [ObjectIdentifier: (flow: AnyFlow, sessions: Int)] = [:]
        for session in all {
            let flow = session.flow
            counts[ObjectIdentifier(flow), default: (flow, 0)].sessions += 1
        }
        var versions: [String: VersionCount] = [:]
        for (flow, sessions) in counts.values {
            let key = "\(flow.name) \(flow.versionText)"
            versions[key] = VersionCount(
                flow: flow.name, version: flow.versionText,
                sessions: (versions[key]?.sessions ?? 0) + sessions)
        }
        return versions.values.sorted { ($0.flow, $0.version) < ($1.flow, $1.version) }
    }
}
