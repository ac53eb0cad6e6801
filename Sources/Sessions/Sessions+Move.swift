public import GameFlow
internal import Timers

/// Moving a session to the newest version of its flow.
extension Sessions {
    /// Moves a session to the newest version of its flow. The session keeps its state, data, timers and settings. If it
    /// already plays the newest version, nothing changes. Throws `invalid` with the name of the state, datum, deferred event or
    /// setting that the newest version does not accept. Returns the change.
    ///
    /// `version` is set only by a replay: the version to which the session was moved.
    @discardableResult public func move(
        _ session: Session, to version: AnyFlow? = nil, _ context: RequestContext
    ) throws(RequestError) -> Answer<Change> {
        if let cached = try cachedAnswer(to: context, of: session.name) {
            return Answer(cached.value.change, row: cached.row)
        }
        try checkEntry(context.entry, of: session)
        try checkCall(on: session.name)
        let (oldFlow, place) = (session.flow, session.machine.place)
        let newFlow: AnyFlow
        if let version { newFlow = version } else { newFlow = try newest(for: session) }
        let details = Change.Details.move(from: oldFlow.versionText, to: newFlow.versionText)
        let change: Change
        if newFlow.version == oldFlow.version, newFlow.source?.version == oldFlow.source?.version {
            change = session.unnumberedChange(
                Step(.move, from: context.source, place, place), details: details)
            var rows = CallRows(id: context.id)
            recordAnswer(change, of: session, after: session.last, &rows)
        } else {
            let before = isRecorded ? PriorState(session) : nil
            let opening = session.opening
            let snapshot: MachineSnapshot
            do throws(Reason) {
                snapshot = try newFlow.continuation(
                    of: session.machine.snapshot, from: oldFlow, at: now)
                try session.replaceMachine(newFlow, snapshot)
            } catch { throw explain(error, state: place.state, newFlow) }
            if oldFlow.changedSettings != newFlow.changedSettings {
                session.setNotes(
                    SessionNotes(
                        labels: session.labels, message: session.message, opening: opening))
            }
            let step = Step(.move, from: context.source, place, session.machine.place)
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
    /// A version of a flow, and the number of open sessions that play it.
    public struct VersionCount: Equatable, Sendable {
        public let flow: String
        public let version: String
        public let sessions: Int
    }

    /// The versions that open sessions play, in the order of flow and version.
    public var versionCounts: [VersionCount] {
        var versions: [String: VersionCount] = [:]
        for (flow, sessions) in index.flowCounts.values {
            let key = "\(flow.name) \(flow.versionText)"
            versions[key] = VersionCount(
                flow: flow.name, version: flow.versionText,
                sessions: (versions[key]?.sessions ?? 0) + sessions)
        }
        return versions.values.sorted { ($0.flow, $0.version) < ($1.flow, $1.version) }
    }
}
