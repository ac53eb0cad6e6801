public import GameFlow
internal import Timers

extension Step.Kind {
    package static var move: Step.Kind { Step.Kind(number: 11) }
}

extension ChangeKind {
    /// The session continues with another version of its flow.
    static let move = ChangeKind(
        .move, name: "move", [.takesDetails, .setsFlow, .changesState, .needsRecording],
        .namedState,
        details: Change.Moved.self
    ) { (_, status, session, context) throws(RequestError) in
        // The status names the version.
        let sessions = session.sessions
        try sessions.move(
            session, to: sessions.recordedFlow(FlowChoice(status)), seed: status.chance?.seed,
            context)
    }
}

extension Change {
    /// The versions of the flow before and after the move.
    package struct Moved: ChangeDetails {
        let from: String
        let to: String

        package init(from: String, to: String) { (self.from, self.to) = (from, to) }

        package static let codes: ClosedRange<UInt8> = 7...7

        package init(code: UInt8, from reader: inout some DetailsReader) throws(UnreadableRowError)
        {
            (from, to) = (try reader.string(), try reader.string())
        }

        package func write(to writer: inout some DetailsWriter & ~Copyable) {
            writer.byte(7)
            writer.string(from)
            writer.string(to)
        }

        package init?(in change: [Member]) {
            guard case .object(let versions)? = change["versions"],
                let from = versions["from"]?.text, let to = versions["to"]?.text
            else { return nil }
            (self.from, self.to) = (from, to)
        }

        package var members: [Member] {
            [Member("versions", .object([Member("from", from), Member("to", to)]))]
        }

        package func text(_ format: some DetailsFormat) -> String? {
            let (from, to) = (format.text(from), format.text(to))
            return from == to ? "version \(from), the newest" : "version \(from) → \(to)"
        }
    }
}

/// Moving a session to the newest version of its flow.
extension Sessions {
    /// Moves a session to the newest version of its flow. The session keeps its state, data, timers and settings. If it
    /// already plays the newest version, nothing changes. Throws `invalid` with the name of the state, datum, deferred event or
    /// setting that the newest version does not accept. Returns the change.
    ///
    /// `version` and `seed` are set only by a replay: the version to which the session was moved, and its recorded seed.
    @discardableResult public func move(
        _ session: Session, to version: AnyFlow? = nil, seed: UInt64? = nil,
        _ context: RequestContext
    ) throws(RequestError) -> Answer<Change> {
        if let cached = try cachedAnswer(to: context, of: session.name) { return cached }
        let command = try SessionCommand(session, context)
        let oldFlow = session.flow
        let newFlow: AnyFlow
        if let version { newFlow = version } else { newFlow = try newest(for: session) }
        let hasChanged =
            newFlow.version != oldFlow.version
            || newFlow.source?.version != oldFlow.source?.version
        if hasChanged { try replaceFlow(of: session, by: newFlow, seed) }
        return command.answer(
            .move, Change.Moved(from: oldFlow.versionText, to: newFlow.versionText),
            hasChanged: hasChanged)
    }

    /// Lets the session continue with another version of its flow. If this function throws, nothing has changed. `seed` is the
    /// recorded seed, if a replay has one.
    private func replaceFlow(of session: Session, by newFlow: AnyFlow, _ seed: UInt64?)
        throws(RequestError)
    {
        let (oldFlow, opening) = (session.flow, session.opening)
        do throws(Reason) {
            let snapshot = try newFlow.continuation(
                of: session.machine.snapshot, from: oldFlow, at: now, timerQueue.wallClock)
            let recorded = snapshot.chance ?? seed.map { Chance(seed: $0) }
            let chance = self.chance(
                for: snapshot.with(recorded), of: session.name, newFlow,
                openedAt: posOfOpening(of: session))
            try session.replaceMachine(newFlow, snapshot.with(chance))
        } catch { throw explain(error, state: session.machine.place.state, newFlow) }
        if oldFlow.changedSettings != newFlow.changedSettings {
            session.setNotes(
                SessionNotes(labels: session.labels, message: session.message, opening: opening))
        }
    }

    /// The `pos` of a session's opening or, if that is no longer in memory, of its oldest change that is.
    private func posOfOpening(of session: Session) -> Int {
        var pos = session.lastPos
        while let change = ring[pos], change.seq > 1, ring[change.previous] != nil {
            pos = change.previous
        }
        return pos
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
