package import GameFlow
internal import JSONCoding
package import Sessions
package import Timers

/// A request about one session, or about all, for the shards that have the sessions. `RequestRouter` passes it to their owners:
/// a shard of this node executes it, and another node gets it as a line.
package struct RoutedRequest: Sendable {
    package let method: Method
    /// The session, or all sessions, that the request is about.
    package let target: WatchTarget
    /// The parameters, which were checked.
    package let params: [Member]
    package let dialect: RequestDialect
    /// The earliest instant, by the database's clock, at which the client may have sent the request; nil if it is not known.
    package var sentSince: Instant?

    /// The dialect of the request, which is also the dialect of the reply.
    package enum RequestDialect: Sendable {
        case json
        /// The line has words that the owner converts to the types of the session's flow.
        case text(line: [UInt8])
    }

    private init(
        _ method: Method, _ target: WatchTarget, _ params: [Member],
        _ dialect: RequestDialect = .json
    ) { (self.method, self.target, self.params, self.dialect) = (method, target, params, dialect) }

    /// Creates the request with these parameters. Nil if this daemon answers the request itself, that is, in these cases:
    /// - The request is about no session.
    /// - The request is about this node's own tokens and connections.
    /// - The session name of the request is invalid.
    init?(_ method: Method, _ params: borrowing Params) {
        guard let target = Self.target(method, params) else { return nil }
        self.init(method, target, params.members(of: method))
    }

    /// Creates a request from a line of the text dialect. Nil if this daemon answers the request itself: also if the parameters
    /// are not valid.
    init?(_ request: TextRequest, _ line: ArraySlice<UInt8>) {
        var params = Params()
        do throws(CallError) { try params.read(request.params(), of: request.method) } catch {
            return nil
        }
        guard let target = Self.target(request.method, params) else { return nil }
        // A request about all sessions is sent to several nodes as JSON, so that the results can be merged.
        self.init(
            request.method, target, params.members(of: request.method),
            target == .all ? .json : .text(line: Array(line)))
    }

    /// The sessions that the request is about; nil if this daemon answers it.
    private static func target(_ method: Method, _ params: borrowing Params) -> WatchTarget? {
        // A part of this node carries out the other methods.
        guard method.handler != nil else { return nil }
        return switch method {
        case .list: .all
        case .watch, .unwatch: try? params.target()
        case .describe, .graph: params.has(.session) ? sessionTarget(params) : nil
        default: method.isAboutSession ? sessionTarget(params) : nil
        }
    }

    private static func sessionTarget(_ params: borrowing Params) -> WatchTarget? {
        (try? params.session()).map { .session($0) }
    }

    // MARK: what the router needs to know

    /// Whether a repetition of the request is recognized by its id.
    private var hasID: Bool { params["id"] != nil }
    /// Whether executing the request twice has the same effect as executing it once. Such a request is sent again if its reply
    /// was lost.
    package var isRepeatable: Bool { hasID || !method.canChange }
    /// The greatest number of sessions in the result of `list`.
    package var limit: Int {
        if case .int(let limit)? = params["limit"] { limit } else { Limits().listDefault }
    }
    /// The topics of a `watch`; nil if the request names none.
    package var topics: [String]? {
        guard case .array(let topics)? = params["topics"] else { return nil }
        return topics.map { $0.text ?? "" }
    }
    /// The cursor after which a watch of all sessions starts; nil for other requests.
    package var since: String? { target == .all ? params["since"]?.text : nil }
    /// The assumed size of the reply in bytes. Until the reply arrives, this size counts against the limit of
    /// a batch's reply.
    package var assumedBytes: Int {
        switch method {
        case .history, .presses, .list, .describe, .graph: Limits().historyBytes
        default: Self.ordinaryReplyBytes
        }
    }
    /// The assumed size in bytes of a reply that contains no list.
    private static let ordinaryReplyBytes = 8192

    /// The refusal of the request, which was not executed, because the store of its session does not work.
    ///
    /// A request with an id may repeat one that was executed, and whose change was stored. Only the session's next owner can find
    /// that out, so the outcome is `unknown` until the client sends the request again. Without an id the outcome is `undone`.
    package func outage(why: String) -> RequestError {
        .storage(why: why, outcome: hasID ? .unknown : .undone)
    }

    // MARK: the line for another node

    /// The id of each request in JSON-RPC. The replies are matched to the requests by their order.
    static let id = 1

    /// The request as a line for another node, without a newline.
    package var line: [UInt8] {
        switch dialect {
        case .text(let line): line
        case .json:
            JSONWriter.bytes {
                $0.object([
                    Member("jsonrpc", "2.0"), Member("id", Self.id), Member("method", method.name),
                    Member("params", .object(params)),
                ])
            }
        }
    }

    // MARK: requests of this node

    /// A request `watch`. `since` names the last change that is known: its `seq` for a watch of one session, its cursor for a
    /// watch of all sessions. If `since` is nil, the watch gets only the changes from now on.
    package static func watch(_ target: WatchTarget, topics: [String]?, since: Value?)
        -> RoutedRequest
    {
        let name = if case .session(let name) = target { name.text } else { "*" }
        var params = [Member("session", name)]
        if let topics { params.append(Member("topics", .array(topics.map { .string($0) }))) }
        if let since { params.append(Member("since", since)) }
        return RoutedRequest(.watch, target, params)
    }

    /// A request `unwatch` for all sessions.
    package static var unwatchAll: RoutedRequest {
        RoutedRequest(.unwatch, .all, [Member("session", "*")])
    }

    /// A request `send` that this node makes itself. `ageMs` is the age of the event in milliseconds. The event is refused if
    /// `entry` is given and the session is no longer in this entry.
    package static func send(
        _ event: String, _ arguments: [Member], to session: SessionName, id: String?,
        ageMs: Int = 0, entry: Int? = nil
    ) -> RoutedRequest {
        var members = [Member("event", event), Member("args", .object(arguments))]
        if ageMs > 0 { members.append(Member("ageMs", ageMs)) }
        if let entry { members.append(Member("entry", entry)) }
        return request(.send, session, members, id: id)
    }

    /// A request `open`. If `flow` is nil, the session plays the first flow of the daemon.
    package static func open(_ session: SessionName, flow: String?, id: String) -> RoutedRequest {
        request(.open, session, flow.map { [Member("flow", $0)] } ?? [], id: id)
    }

    /// A request for a page of the sessions, which are sorted by name. The page begins after the given name, or with the first
    /// session if the name is nil. By default it has `listDefault` sessions.
    package static func list(after name: String?, limit: Int? = nil) -> RoutedRequest {
        RoutedRequest(
            .list, .all,
            (name.map { [Member("after", $0)] } ?? []) + (limit.map { [Member("limit", $0)] } ?? [])
        )
    }

    /// The same list with this limit. If `name` is not nil, it begins after that name.
    package func part(limit: Int, after name: String? = nil) -> RoutedRequest {
        var params = params.filter { $0.name != "limit" && (name == nil || $0.name != "after") }
        params.append(Member("limit", limit))
        if let name { params.append(Member("after", name)) }
        var part = RoutedRequest(.list, .all, params)
        part.sentSince = sentSince
        return part
    }

    /// A request to operate all timers of a session at once.
    static func operateTimers(
        _ action: TimerOperation.Action, of session: SessionName, id: String?
    ) -> RoutedRequest {
        let members = [
            Member("fires", TimerOperation.all), Member("action", action.rawValue),
        ]
        return request(.timer, session, members, id: id)
    }

    package static func status(of session: SessionName) -> RoutedRequest {
        request(.status, session, [], id: nil)
    }

    /// A request for what another node knows alone, for example its alerts. The method is one of a part.
    package static func toNode(_ method: Method, _ params: [Member]) -> RoutedRequest {
        RoutedRequest(method, .all, params)
    }

    /// The number of records in the reply to `newestRecords`.
    private static let newestRecordCount = 100

    /// A request for the newest records of a session. Some of the records can be refusals, which are not changes.
    package static func newestRecords(of session: SessionName) -> RoutedRequest {
        request(.history, session, [Member("limit", newestRecordCount)], id: nil)
    }

    /// A request about a session with these members in its parameters, besides `session` and `id`.
    private static func request(
        _ method: Method, _ session: SessionName, _ members: [Member], id: String?
    ) -> RoutedRequest {
        let params = [Member("session", session.text)] + (id.map { [Member("id", $0)] } ?? [])
        return RoutedRequest(method, .session(session), params + members)
    }
}

extension Params {
    /// The parameters that were given, as values.
    fileprivate func members(of method: Method) -> [Member] {
        var members: [Member] = []
        for parameter in Parameter.allCases where method.allParameters.contains(parameter) {
            guard let value = value(parameter) else { continue }
            members.append(Member(parameter.name.description, value))
        }
        return members
    }
}
