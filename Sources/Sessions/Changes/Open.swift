public import GameFlow

extension ChangeKind {
    /// The session was opened.
    static let open = ChangeKind(
        .open, [.setsFlow, .changesState, .answersWithStatus], .opening
    ) { (recorded, status) throws(UnreadableRowError) in
        let step = recorded.step
        guard let to = step.to else { throw UnreadableRowError(why: "to: missing") }
        return { (sessions, name, context) throws(RequestError) in
            // A recording has the settings that the caller gave only if they are not those of the flow.
            let flow = try sessions.recordedFlow(FlowChoice(status))
            let seed =
                flow.drawsChance
                ? status.chance?.seed ?? sessions.seeds.seed(of: name, openedAt: recorded.pos)
                : nil
            _ = try sessions.open(
                name, flow, state: to.state, data: to.data,
                settings: status.notes?.opening?.settings, labels: status.labels, seed: seed,
                context)
        }
    }
}

extension Sessions {
    /// Opens a session of the flow `flow` in the state `state` with the data `data`. If `state` is nil, the session starts in
    /// the flow's initial state. This function does not look for a cached answer; the caller does, with `answer(to:of:)`.
    /// `settings` are the settings that the caller gave. `flow` has them, and also those of the configuration. `seed` is set only
    /// by a replay, which draws the recorded random values again.
    ///
    /// If a session of that name is open, throws `exists` unless `isAgain` is true. If `isAgain` is true, closes that session
    /// in the same step, and the watches on its name go on.
    public func open(
        _ name: SessionName, _ flow: AnyFlow, state: String? = nil, data: [Member] = [],
        settings: [Member]? = nil, labels: [Member] = [], isAgain: Bool = false,
        seed: UInt64? = nil, _ context: RequestContext
    ) throws(RequestError) -> Session {
        try open(
            name, flow, state: state, data: data, settings: settings, labels: labels,
            isAgain: isAgain, seed: seed, context
        ) { $0 }
    }

    /// Opens a session like `open` without `answer`, and returns what `answer` makes of the new session. `answer` is called
    /// before a timer of the first state fires and before linked steps are made, so that it sees what the request has done.
    public func open<Result>(
        _ name: SessionName, _ flow: AnyFlow, state: String? = nil, data: [Member] = [],
        settings: [Member]? = nil, labels: [Member] = [], isAgain: Bool = false,
        seed: UInt64? = nil, _ context: RequestContext, answer: (Session) -> Result
    ) throws(RequestError) -> Result {
        defer { finishRequest() }
        let old = openSession(name)
        guard old == nil || isAgain else { throw .exists(name.text) }
        if let why = quarantine(of: name) { throw quarantineError(name, why) }
        let labels = try SessionNotes.labels([], changedBy: labels, of: name)
        guard old != nil || count < limits.sessions else {
            throw .limit(which: "sessions", limit: limits.sessions)
        }
        if let state, flow.finals.contains(state) {
            throw .invalid(
                .state(state), argument: "state", why: "a session cannot start in a final state")
        }
        try checkCall(on: name, for: context)
        try checkLinkedStepLimit(context.source)
        if let old {
            // The old session must stay open if the new session cannot be opened, so this is checked first.
            if let obstacle = flow.obstacle(toOpening: state, data) {
                throw explain(obstacle, state: state ?? flow.initial, flow)
            }
            try close(old, RequestContext(from: context.source), isAgain: true)
        }
        let session = Session(name, flow, in: self)
        if flow.drawsChance { session.machine.setSeed(seed ?? seeds.next()) }
        let opening =
            settings.map { SessionNotes.Opening(labels: labels, settings: $0) }
            .flatMap { $0.settings == flow.changedSettings ? nil : $0 }
        session.setNotes(SessionNotes(labels: labels, opening: opening))
        index.insert(session)
        do throws(RequestError) { try openMachine(session, state, data, context) } catch {
            index.remove(session)
            throw error
        }
        remember(session.lastChange, .status(session.status), context, of: session)
        return answer(session)
    }

    /// Enters the first state of a new session.
    private func openMachine(
        _ session: Session, _ state: String?, _ data: [Member], _ context: RequestContext
    ) throws(RequestError) {
        let result = run(id: context.id, on: nil) { () throws(Reason) in
            try session.machine.open(state, data, from: context.source)
        }
        guard let refusal = result.refusal else { return }
        throw explain(refusal, state: state ?? session.flow.initial, session.flow)
    }
}
