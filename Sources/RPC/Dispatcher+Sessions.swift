public import GameFlow
internal import JSONCoding
internal import Sessions
internal import Timers

/// The methods that read sessions and change them. A handler that returns an integer returns the number of the journal row that
/// must be durable before the result is sent.
extension Dispatcher {
    /// Sends an event to a session, and writes the change.
    func send(_ params: borrowing Params, _ caller: any Caller, _ writer: inout JSONWriter)
        throws(CallError) -> CallOutcome
    {
        let id = try id(params, caller)
        // The event's age when the client sent it, and the visit of a state for which the event is meant.
        let ageMs = try params.count(.ageMs) ?? 0
        let entry = try params.count(.entry)
        let rights = caller.rights
        let session = try session(params, .send, caller, rights)
        let view = rights.view(session.name)
        let flow = session.flow
        let event =
            params.find(.event) { flow.event(named: $0) }.map { RequestedEvent.known($0) }
            ?? RequestedEvent(params.required(.event), in: flow)
        let givenArguments = params.object(.args)
        // A caller that sends only texts gives no types, so its arguments get the types that the flow declares.
        let requestedArguments =
            caller.needsArgumentConversion
            ? ArgumentConversion.convert(givenArguments, of: event.name(in: flow), in: flow)
            : givenArguments
        // The requested arguments and those that the caller's rights bind. Nil if the request gives a bound argument another
        // value. `sessions.send` then refuses the event, because the context's `missingRight` returns a right.
        let arguments =
            rights.allowsEverything || !rights.bindsArguments
            ? requestedArguments
            : rights.arguments(
                requestedArguments, of: event.name(in: flow), to: session.name,
                declared: event.declaredArguments(in: flow))
        let context = RequestContext(
            from: caller.source, id: id, entry: entry,
            sentSince: caller.sentSince(ofEventWithID: id, ageMs: ageMs), ageMs: ageMs,
            missingRight: rights.allowsEverything
                ? nil
                : missingRightFinder(
                    caller, rights, session.name, flow.hidden, hasBoundArguments: arguments != nil))
        let answer: Answer<Change>
        do {
            if sessions.collects(event, in: flow) {
                let longestAge = max(
                    rights.longestAge(of: event.name(in: flow), to: session.name),
                    caller.source.kind == .unix ? Grant.ageWithoutRule : .zero)
                switch try sessions.collect(
                    event, arguments ?? requestedArguments, to: session, context,
                    longestAge: longestAge)
                {
                case .waits(let waiting): return deferred(waiting, session, caller)
                case .sent(let sent): answer = sent
                }
            } else {
                answer = try sessions.send(
                    event, arguments ?? requestedArguments, to: session, context)
            }
        } catch {
            // Only reported: `sessions.send` has recorded the refusal.
            if case .forbidden = error {
                _ = caller.reportForbidden(error.forLog(hiding: flow.hidden))
            }
            throw .refused(view.error(error, session.flow.hidden))
        }
        write(sent: answer.value, view, to: &writer)
        return .succeeded(row: answer.row)
    }

    /// Writes the change that an event has made.
    private func write(sent change: Change, _ view: SessionView, to writer: inout JSONWriter) {
        writer.beginObject()
        if change.kind == .defer {
            writer.name("deferred")
            writer.bool(true)
        }
        encoder.members(of: change, view, to: &writer)
        writer.endObject()
    }

    /// The result of an event that waits for others.
    private func deferred(_ waiting: WaitingEvent, _ session: Session, _ caller: any Caller)
        -> CallOutcome
    {
        let result = DeferredResult(assumedBytes: Self.changeBytes, delaysRequests: false) {
            [weak self] done in
            waiting.whenEnded { outcome in
                guard let self, let outcome else {
                    let why = "the daemon no longer owns the session"
                    return done(.failure(.refused(.storage(why: why, outcome: .undone))))
                }
                let view = caller.rights.view(session.name)
                switch outcome {
                case .success(let answer):
                    done(
                        DeferredResult.Outcome(
                            .success { self.write(sent: answer.value, view, to: &$0) },
                            row: answer.row))
                case .failure(let error):
                    if case .forbidden = error {
                        _ = caller.reportForbidden(error.forLog(hiding: session.flow.hidden))
                    }
                    done(
                        DeferredResult.Outcome(
                            .failure(.refused(view.error(error, session.flow.hidden))),
                            row: self.sessions.row(about: session.name)))
                }
            }
        }
        return .deferred(result)
    }

    /// The assumed size of a change in bytes, for the limit of a batch's reply.
    private static let changeBytes = 1024

    /// The maximum length of a client's request id, in Unicode scalars.
    private static let idLimit = 64

    /// The parameter `id`, by which a repeated request is recognized. Nil if it is not given.
    func id(_ params: borrowing Params, _ caller: any Caller) throws(CallError) -> String? {
        guard let id = params.text(.id) else { return nil }
        // The id of an event that another session sends contains that session's name, and may be longer. So may the id of an
        // event of a device at another node, which has checked it.
        if caller.source.kind == .session || caller.needsArgumentConversion { return id }
        guard 1...Self.idLimit ~= id.unicodeScalars.count else {
            throw .invalidParams("id: expected 1 to \(Self.idLimit) characters")
        }
        return id
    }

    /// Writes the present status of a session. For a caller that needs it, `linkedSteps` comes first, so that the caller can
    /// remove it without reading the rest; it is left out if it is 0.
    func status(_ params: borrowing Params, _ caller: any Caller, _ writer: inout JSONWriter)
        throws(CallError) -> Int
    {
        let session = try session(params, .status, caller)
        writer.beginObject()
        if caller.needsLinkedSteps, let steps = session.lastSummary?.source.linkedSteps, steps > 0 {
            writer.name("linkedSteps")
            writer.int(steps)
        }
        encoder.members(of: session.status, caller.rights.view(session.name), to: &writer)
        writer.endObject()
        return sessions.row(of: session)
    }

    /// Returns a closure that takes an event's name, and returns the right that the caller lacks to send the event. The closure
    /// returns nil if the caller may send the event. `hasBoundArguments` says whether the arguments have the values that the
    /// caller's rights bind.
    private func missingRightFinder(
        _ caller: any Caller, _ rights: Rights, _ session: SessionName, _ hiddenNames: HiddenNames?,
        hasBoundArguments: Bool
    ) -> (String) -> String? {
        { [self] event in
            let isHidden = rights.excludesHiddenEvents && hiddenNames?.hidesEvent(event) == true
            if rights.maySend(event, to: session, isHidden: isHidden) {
                return hasBoundArguments ? nil : "play with the arguments that the rule binds"
            }
            guard rights.has(.play, in: session) else {
                return missingRight(.play, session, caller)
            }
            // The caller may play the session, and lacks only the right for this event.
            return "play with \(event)"
        }
    }

    /// Writes a page of the sessions that the caller may observe, in the order of their names. The parameter `after` is the
    /// last name of the page before.
    func list(_ params: borrowing Params, _ caller: any Caller, _ writer: inout JSONWriter)
        throws(CallError) -> CallOutcome
    {
        let limit = try self.limit(
            params, default: sessions.limits.listDefault, maximum: sessions.limits.listPage)
        let after = params.has(.after) ? try params.session(.after) : nil
        let list = LongLists.List(
            SessionSearch(flow: params.text(.flow), after: after, limit: limit), caller)
        // The name is checked only for an empty page, because sessions may still play a flow that was withdrawn.
        var unknownFlow: CallError?
        if after == nil { do { _ = try flow(params) } catch { unknownFlow = error } }
        guard let page = list.advance(in: sessions, examining: limit + LongLists.pieceCount) else {
            return .deferred(longLists.result(of: list, self, ifEmpty: unknownFlow))
        }
        if page.sessions.isEmpty, let unknownFlow { throw unknownFlow }
        write(page, for: caller, to: &writer)
        return .succeeded(row: sessions.newestRow)
    }

    /// Writes a page of sessions.
    func write(_ page: SessionSearch.Page, for caller: any Caller, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("sessions")
        writer.beginArray()
        for session in page.sessions {
            encoder.writeListItem(session, caller.rights.view(session.name), to: &writer)
        }
        writer.endArray()
        writer.name("more")
        writer.bool(page.more)
        writer.endObject()
    }

    /// The largest number of results in a page: the parameter `limit`, or `defaultLimit`. Throws if it exceeds `maximum`.
    func limit(
        _ params: borrowing Params, default defaultLimit: Int, maximum: Int
    ) throws(CallError) -> Int {
        let limit = try params.count(.limit) ?? defaultLimit
        guard 1...maximum ~= limit else { throw .invalidParams("limit: 1 to \(maximum)") }
        return limit
    }

    /// Opens a session, and writes its status. The flow is the first flow of the catalog if the request names none. With the
    /// parameter `again`, an open session of the same name is closed first, and the new session gets the flow, the settings and
    /// the labels with which that session was opened, unless the request names others. A repeated request gets the first
    /// answer again.
    func open(_ params: borrowing Params, _ caller: any Caller, _ writer: inout JSONWriter)
        throws(CallError) -> Int
    {
        let name = try params.session()
        let context = RequestContext(
            from: caller.source, id: try id(params, caller), sentSince: caller.sentSince)
        try check(.open, caller, named: name)
        if !params.has(.state), params.has(.data) {
            throw .invalidParams("data: only allowed together with state")
        }
        if let answer = try cachedStatus(context, name) {
            encoder.write(answer.value, caller.rights.view(name), to: &writer)
            return answer.row
        }
        let isAgain = params.isTrue(.again)
        let earlier = isAgain ? try? sessions.session(name) : nil
        // The flow of the earlier session may have been withdrawn since.
        let requestedFlow =
            if let name = params.text(.flow) ?? earlier?.flow.name {
                try flow(named: name)
            } else {
                sessions.flows[0]
            }
        let settings =
            params.has(.settings)
            ? params.object(.settings) : earlier?.settingsOfOpening(for: requestedFlow) ?? []
        let labels =
            params.has(.labels) ? params.object(.labels) : earlier?.opening.labels ?? []
        let answer: Answer<SessionStatus>
        do {
            answer = try sessions.open(
                name, try flow(requestedFlow, with: settings),
                state: params.text(.state), data: params.object(.data), settings: settings,
                labels: labels, isAgain: isAgain, context
            ) { Answer($0.status, row: sessions.row(of: $0)) }
        } catch { throw .refused(error) }
        encoder.write(answer.value, caller.rights.view(name), to: &writer)
        return answer.row
    }

    /// The flow with the settings of a request. They replace the settings of the same names in the daemon's configuration.
    private func flow(_ flow: AnyFlow, with settings: [Member]) throws(RequestError) -> AnyFlow {
        do { return try sessions.catalog.flow(flow, with: settings) } catch {
            throw .invalid(.flow(flow.name), argument: error.subject, why: error.why)
        }
    }

    /// The answer to the first request with this request's id; nil if the request is new.
    private func cachedStatus(_ context: RequestContext, _ name: SessionName) throws(CallError)
        -> Answer<SessionStatus>?
    {
        do throws(RequestError) { return try sessions.answer(to: context, of: name) } catch {
            throw .refused(error)
        }
    }

    /// Writes the status of the session, then closes it.
    func close(_ params: borrowing Params, _ caller: any Caller, _ writer: inout JSONWriter)
        throws(CallError) -> Int
    {
        let context = RequestContext(
            from: caller.source, id: try id(params, caller), sentSince: caller.sentSince)
        if let quarantined = try closeQuarantined(params, caller) {
            writer.object(quarantined)
            return sessions.newestRow
        }
        let name = try params.session()
        // A repeated request gets the first answer again. The answer is still remembered, although the first request closed the
        // session.
        if let answer = try cachedStatus(context, name) {
            try check(.close, caller, named: name)
            encoder.write(answer.value, caller.rights.view(name), to: &writer)
            return answer.row
        }
        let session = try session(params, .close, caller)
        let answer: Answer<SessionStatus>
        do { answer = try sessions.close(session, context) } catch { throw .refused(error) }
        encoder.write(answer.value, caller.rights.view(name), to: &writer)
        return answer.row
    }

    /// Closes the session if it is quarantined, which means that it could not be restored. The session's name can then be used
    /// again. Returns the members of the result; nil if the session is not quarantined.
    private func closeQuarantined(_ params: borrowing Params, _ caller: any Caller)
        throws(CallError)
        -> [Member]?
    {
        let name = try params.session()
        guard let why = sessions.quarantine(of: name) else { return nil }
        try check(.close, caller, named: name)
        do { try sessions.closeQuarantined(name, from: caller.source) } catch {
            throw .refused(error)
        }
        return [Member("session", name.text), Member("quarantined", why)]
    }

    /// The context of a command: its source and its parameters `id` and `entry`.
    func context(_ params: borrowing Params, _ caller: any Caller) throws(CallError)
        -> RequestContext
    {
        RequestContext(
            from: caller.source, id: try id(params, caller), entry: try params.count(.entry),
            sentSince: caller.sentSince)
    }

    /// What an undo does with the timers.
    func clocks(_ params: borrowing Params) throws(CallError) -> UndoClocks {
        guard let text = params.text(.clocks) else { return .still }
        guard let clocks = UndoClocks(rawValue: text) else {
            let words = UndoClocks.allCases.map(\.rawValue)
            throw .invalidParams("clocks: expected \(words.joined(separator: " or "))")
        }
        return clocks
    }

    /// Carries out a command to a session, and writes the change that `make` makes of the session.
    func change(
        _ params: borrowing Params, _ method: Method, _ caller: any Caller,
        _ writer: inout JSONWriter,
        _ make: (Sessions, Session) throws(RequestError) -> Answer<Change>
    ) throws(CallError) -> CallOutcome {
        let session = try session(params, method, caller)
        let answer: Answer<Change>
        do { answer = try make(sessions, session) } catch { throw .refused(error) }
        encoder.write(answer.value, caller.rights.view(session.name), to: &writer)
        return .succeeded(row: answer.row)
    }

    /// The duration of an operation on a timer. For `set`, it is the parameter `to`. For other operations, it is the parameter
    /// `by`. Nil if the operation has no duration. Throws if a duration is missing or not expected.
    private func duration(_ params: borrowing Params, of action: TimerOperation.Action)
        throws(CallError) -> Duration?
    {
        let (expected, unexpected): (Parameter, Parameter) =
            action == .set ? (.to, .by) : (.by, .to)
        if params.has(unexpected) {
            throw .invalidParams("\(unexpected.name): not with \(action.rawValue)")
        }
        let duration = try params.duration(expected)
        guard (duration != nil) == action.needsDuration else {
            throw .invalidParams(
                duration == nil
                    ? "\(expected.name): missing" : "\(expected.name): not with \(action.rawValue)")
        }
        return duration
    }

    /// Performs an operation on a timer of a session, and writes the session's status. An operation on all sessions has a result
    /// of its own, which is deferred.
    func timer(_ params: borrowing Params, _ caller: any Caller, _ writer: inout JSONWriter)
        throws(CallError) -> CallOutcome
    {
        guard let action = TimerOperation.Action(rawValue: params.required(.action)) else {
            throw .invalidParams("action: expected \(TimerOperation.Action.listed)")
        }
        let duration = try duration(params, of: action)
        if try params.target() == .all { return try allTimers(params, action, caller) }
        let context = try context(params, caller)
        let session = try session(params, .timer, caller)
        let operation = TimerOperation(params.required(.fires), action, by: duration)
        let answer: Answer<SessionStatus>
        do { answer = try sessions.operate(operation, on: session, context) } catch {
            throw .refused(error)
        }
        encoder.write(answer.value, caller.rights.view(session.name), to: &writer)
        return .succeeded(row: answer.row)
    }

    /// Pauses or resumes the timers of all sessions that the caller may operate.
    private func allTimers(
        _ params: borrowing Params, _ action: TimerOperation.Action, _ caller: any Caller
    ) throws(CallError) -> CallOutcome {
        guard action.mayApplyToAll, params.required(.fires) == TimerOperation.all else {
            throw .invalidParams("session: with * only pause and resume of all timers")
        }
        if params.has(.entry) { throw .invalidParams("entry: not with all sessions") }
        guard caller.rights.has(.operate) else { throw refusal(params, .timer, caller) }
        guard let requests = sessionRequests else {
            throw .methodNotFound(Method.timer.name)
        }
        return .deferred(
            AllTimers.result(requests, caller, action, id: try id(params, caller)))
    }

    /// Advances the virtual clock by a duration, or to the next timer, and writes the timers that fired. The member `more` is
    /// true if the clock stopped too early. The reason is that the limit for firings, or the limit for steps of the simulated
    /// radio, was reached.
    func advance(_ params: borrowing Params, _ caller: any Caller, _ writer: inout JSONWriter)
        throws(CallError) -> Int
    {
        let duration = try params.duration(.by)
        guard (duration != nil) != params.isTrue(.toNext) else {
            throw .invalidParams("expected either by or toNext")
        }
        let (firedTimers, more): ([Sessions.FiredTimer], Bool)
        do {
            (firedTimers, more) = try sessions.advance(
                duration.map { .by($0) } ?? .toNext, from: caller.source)
        } catch {
            throw .refused(error)
        }
        writer.beginObject()
        writer.name("fired")
        writer.beginArray()
        for timer in firedTimers { write(timer, &writer) }
        writer.endArray()
        writer.name("nowMs")
        writer.int(Int(sessions.now.milliseconds))
        writer.name("more")
        writer.bool(more)
        writer.endObject()
        return sessions.newestRow
    }

    private func write(_ timer: Sessions.FiredTimer, _ writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("session")
        writer.string(timer.session.text)
        writer.name("fires")
        writer.string(timer.fires)
        writer.name("atMs")
        writer.int(Int(timer.at.milliseconds))
        writer.endObject()
    }

    /// The flow that the parameters name; nil if they name no flow.
    func flow(_ params: borrowing Params) throws(CallError) -> AnyFlow? {
        guard let name = params.text(.flow) else { return nil }
        return try flow(named: name)
    }

    /// The newest version of the flow of this name. Throws if no flow has this name.
    public func flow(named name: String) throws(CallError) -> AnyFlow {
        do { return try sessions.flow(name) } catch { throw .refused(error) }
    }
}
