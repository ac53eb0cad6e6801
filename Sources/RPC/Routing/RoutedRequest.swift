package import GameFlow
internal import JSONCoding
package import Sessions
package import Timers

/// A request about one session, or about all, as a line that the dispatcher of another shard or node executes. `RequestRouter`
/// sends it there.
package struct RoutedRequest: Sendable {
    package let method: Method
    /// The session, or all sessions, that the request is about.
    package let target: WatchTarget
    /// The request without a newline, as JSON or in the text dialect. The reply is in the same dialect.
    package let line: [UInt8]
    /// Whether executing the request twice has the same effect as executing it once. Such a request is sent again if its reply
    /// was lost.
    package let isRepeatable: Bool
    /// The greatest number of sessions in the result of `list`; unused for other methods.
    package let limit: Int
    /// The topics of a `watch`; nil if the request names none, and for other methods.
    package let topics: [String]?
    /// The earliest instant, by the database's clock, at which the client may have sent the request; nil if it is not known.
    package var sentSince: Instant?
    /// The assumed size of the reply in bytes. Until the reply arrives, this size counts against the limit of
    /// a batch's reply.
    package var assumedBytes: Int {
        switch method {
        case .history, .list, .describe, .graph: Limits().historyBytes
        default: Self.ordinaryReplyBytes
        }
    }
    /// The assumed size in bytes of a reply that contains no list.
    private static let ordinaryReplyBytes = 8192
    /// The cursor after which a watch of all sessions starts; nil for other requests.
    package let since: String?

    /// Creates the request with these parameters. Nil if this daemon answers the request itself, that is, in these cases:
    /// - The request is about no session.
    /// - The request is about this node's own tokens and connections.
    /// - The session name of the request is invalid.
    init?(_ method: Method, _ params: borrowing Params) {
        guard let target = Self.target(method, params) else { return nil }
        self.init(
            method, target, line: Self.line(method, params),
            hasID: params.has(.id), limit: params.int(.limit), topics: params.texts(.topics),
            since: target == .all ? params.text(.since) : nil)
    }

    /// Creates a request from a line of the text dialect. Nil if this daemon answers the request itself, that is, in these
    /// cases:
    /// - The request is about no session.
    /// - The request is about this node's own tokens and connections.
    /// - The parameters of the request are not valid.
    init?(_ request: TextRequest, _ line: ArraySlice<UInt8>) {
        var params = Params()
        do throws(CallError) { try params.read(request.params(), of: request.method) } catch {
            return nil
        }
        guard let target = Self.target(request.method, params) else { return nil }
        // A request about all sessions is sent to several nodes as JSON, so that the results can be merged.
        let isAboutOneSession = target != .all
        self.init(
            request.method, target,
            line: isAboutOneSession ? Array(line) : Self.line(request.method, params),
            hasID: params.has(.id), limit: params.int(.limit), topics: params.texts(.topics),
            since: target == .all ? params.text(.since) : nil)
    }

    private init(
        _ method: Method, _ target: WatchTarget, line: [UInt8], hasID: Bool, limit: Int?,
        topics: [String]?, since: String?
    ) {
        (self.method, self.target, self.line) = (method, target, line)
        isRepeatable = hasID || !method.canChange
        self.limit = limit ?? Limits().listDefault
        (self.topics, self.since) = (topics, since)
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

    /// The id of each request in JSON-RPC. The replies are matched to the requests by their order.
    private static let requestID = 1

    /// The request as a line of JSON-RPC, without a newline.
    private static func line(_ method: Method, _ params: borrowing Params) -> [UInt8] {
        var writer = JSONWriter(capacity: 256)
        // A request begins with the same members as a reply: `jsonrpc` and `id`.
        writer.beginReply()
        writer.int(requestID)
        writer.name("method")
        writer.plain(method.name)
        writer.name("params")
        params.write(of: method, to: &writer)
        writer.endObject()
        return writer.bytes
    }

    /// A request `watch`. `since` names the last change that is known: its `seq` for a watch of one session, its cursor for a
    /// watch of all sessions. If `since` is nil, the watch gets only the changes from now on.
    package static func watch(_ target: WatchTarget, topics: [String]?, since: Value?)
        -> RoutedRequest
    {
        var members = [Member("session", target.text)]
        if let topics { members.append(Member("topics", .array(topics.map { .string($0) }))) }
        if let since { members.append(Member("since", since)) }
        return RoutedRequest(
            .watch, target, line: line(.watch, members), hasID: false, limit: nil, topics: topics,
            since: since?.text)
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
    /// session if the name is nil.
    package static func list(after name: String?) -> RoutedRequest {
        RoutedRequest(
            .list, .all, line: line(.list, name.map { [Member("after", $0)] } ?? []), hasID: false,
            limit: nil, topics: nil, since: nil)
    }

    package static func status(of session: SessionName) -> RoutedRequest {
        request(.status, session, [], id: nil)
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
        return RoutedRequest(
            method, .session(session), line: line(method, params + members), hasID: id != nil,
            limit: nil, topics: nil, since: nil)
    }

    /// The request as a line of JSON-RPC, without a newline.
    private static func line(_ method: Method, _ params: [Member]) -> [UInt8] {
        JSONWriter.bytes {
            $0.object([
                Member("jsonrpc", "2.0"), Member("id", requestID), Member("method", method.name),
                Member("params", .object(params)),
            ])
        }
    }
}

extension WatchTarget {
    /// The target as it is written in a request.
    fileprivate var text: String {
        switch self {
        case .all: "*"
        case .session(let name): name.text
        }
    }
}

extension Params {
    /// Writes the parameters that were given as a JSON object.
    func write(of method: Method, to writer: inout JSONWriter) {
        writer.beginObject()
        for parameter in Parameter.allCases where method.allParameters.contains(parameter) {
            guard let value = value(parameter) else { continue }
            writer.key(parameter.name.description)
            writer.value(value)
        }
        writer.endObject()
    }
}
