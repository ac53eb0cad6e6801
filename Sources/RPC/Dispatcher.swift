internal import JSONCoding
public import Sessions
public import Timers

/// Executes requests and writes their results. All connections share one dispatcher.
///
/// Before each call, the clock must have fired the timers that are due.
public final class Dispatcher {
    /// The sessions on which requests are executed.
    public let sessions: Sessions
    /// What `hello` says about the daemon.
    var identity: ServerIdentity
    /// Writes results and notifications.
    public let encoder: Encoder
    /// The stored history beyond what the sessions keep in memory, if any is stored.
    let archive: (any HistoryStore)?
    /// The methods that parts of the daemon carry out, by the numbers of the methods; nil for any other method.
    private var partMethods = [(any PartMethod)?](repeating: nil, count: Method.allCases.count)
    /// Sends requests to the nodes that own their sessions; nil if this daemon owns all sessions.
    // Not checked for overlapping accesses, because the property is read with each request, and set only while nothing else
    // runs.
    @exclusivity(unchecked) package weak var router: (any RequestRouter)?
    /// Sends a request to each of several sessions, wherever they are; set before the first request.
    package weak var sessionRequests: (any SessionRequests)?
    /// The lists that take several turns of the loop.
    let longLists = LongLists()
    /// Draws diagrams; nil if the daemon draws none.
    let diagramDrawer: (any DiagramDrawer)?
    /// Counts the requests.
    public let meter: RequestMeter
    /// Surveys flows; nil if surveys are computed when they are needed.
    let surveyor: (any FlowSurveyor)?

    /// The members of the result of `hello` that describe the daemon.
    public struct ServerIdentity: Sendable {
        public let version: String
        /// The commit from which the daemon was built; `unknown` if it is not known.
        public let commit: String
        /// An id that is new after each start that restored no session.
        public let instance: String
        /// The limits of the server, by name.
        public internal(set) var limits: [(name: String, limit: Int)]
        /// The name of this node.
        public let node: String
        /// The kind of the node's store; `none` if nothing is stored.
        public let store: String
        /// The format of rows that this program writes if it does not share its store.
        public let rowFormat: Int

        public init(
            version: String, instance: String, limits: [(name: String, limit: Int)],
            node: String = "", store: String = "none", rowFormat: Int = 0,
            commit: String = "unknown"
        ) {
            (self.rowFormat, self.commit) = (rowFormat, commit)
            (self.version, self.instance, self.limits) = (version, instance, limits)
            (self.node, self.store) = (node, store)
        }
    }

    /// `loopTimers` shows the time of the loop on which requests arrive; by default it is the clock of the sessions.
    public init(
        _ sessions: Sessions, _ identity: ServerIdentity, archive: (any HistoryStore)? = nil,
        diagramDrawer: (any DiagramDrawer)? = nil, surveyor: (any FlowSurveyor)? = nil,
        loopTimers: TimerQueue? = nil
    ) {
        meter = RequestMeter(loopTimers ?? sessions.clock.timerQueue)
        (self.diagramDrawer, self.surveyor) = (diagramDrawer, surveyor)
        self.sessions = sessions
        encoder = Encoder(sessions.clockCorrections)
        self.identity = identity
        self.archive = archive
    }

    /// Lets a part of the daemon carry out a method.
    public func add(_ method: any PartMethod) { partMethods[Int(method.method.rawValue)] = method }

    /// Executes a request, and writes the result if it is available immediately.
    func call(
        _ method: Method, _ params: borrowing Params, from caller: any Caller,
        into writer: inout JSONWriter
    ) -> CallOutcome {
        // There is no `RoutedRequest` for a request that this daemon must answer itself, for example a request about its
        // tokens.
        if let router, let request = RoutedRequest(method, params) {
            return .deferred(router.route(request, from: caller))
        }
        do throws(CallError) { return try perform(method, params, caller, &writer) } catch {
            return .refused(
                error.shown(to: caller.rights), row: rowToAwait(before: error, method, params))
        }
    }

    /// Returns the number of the journal row that must be durable before an error is sent. An error waits for a row if it
    /// reveals the state of a session, or that a session does not exist. Returns 0 for other errors.
    private func rowToAwait(
        before error: CallError, _ method: Method, _ params: borrowing Params
    ) -> Int {
        guard case .refused = error, method.isAboutSession else { return 0 }
        guard case .session(let name)? = try? params.target() else { return sessions.newestRow }
        return sessions.row(about: name)
    }

    /// Checks the caller's role, unless the method's handler checks it, and calls the handler.
    private func perform(
        _ method: Method, _ params: borrowing Params, _ caller: any Caller,
        _ writer: inout JSONWriter
    ) throws(CallError) -> CallOutcome {
        if !method.handlerChecksRole { try check(method, caller) }
        if let handler = method.handler { return try handler(self, params, caller, &writer) }
        guard let part = partMethods[Int(method.rawValue)] else {
            throw .methodNotFound(method.name)
        }
        return try part.call(params, caller, self, &writer)
    }

    /// The session of this name. Throws if no session has this name; the error suggests similar names.
    private func session(_ name: SessionName, _ caller: any Caller) throws(CallError) -> Session {
        do { return try sessions.session(name) } catch {
            guard case .unknownSession(let text, let similarNames) = error else {
                throw .refused(error)
            }
            // Only names that the caller may observe are suggested.
            let observable = similarNames.filter { SessionName($0).map(caller.mayObserve) ?? false }
            throw .refused(.unknownSession(text, didYouMean: observable))
        }
    }

    /// Returns the session that a request is about. Throws unless the caller may call the method for this session. If the
    /// method is `send`, only checks that the caller may observe the session; the right for the event is checked later.
    package func session(_ params: borrowing Params, _ method: Method, _ caller: any Caller)
        throws(CallError)
        -> Session
    {
        try session(params, method, caller, caller.rights)
    }

    /// Does what `session(_:_:_:)` does. `rights` are the caller's rights, which the calling function has already read.
    func session(
        _ params: borrowing Params, _ method: Method, _ caller: any Caller, _ rights: Rights
    ) throws(CallError) -> Session {
        let found = params.find(.session) { sessions.openSession(named: $0) }
        let name = if let found { found.name } else { try params.session() }
        // A caller that may not observe the session must not learn whether it exists, nor get a
        // remembered reply.
        guard rights.has(.observe, in: name) else { throw refusal(params, method, caller) }
        let session = if let found { found } else { try session(name, caller) }
        if method != .send { try check(method, caller, session) }
        return session
    }
}
