package import GameFlow
internal import JSONCoding
package import Sessions

/// A request about one session, or about all, as a line that another dispatcher executes.
package struct RoutedRequest: Sendable {
    package let method: Method
    package let target: WatchTarget
    /// Without a newline. Its reply is JSON or text, like itself.
    package let line: [UInt8]
    /// Whether executing it twice has the effect of executing it once.
    package let isRepeatable: Bool
    /// The greatest number of sessions in the result of `list`.
    package let limit: Int
    package let topics: [String]?
    /// The size in bytes with which the reply counts in a batch before it has arrived.
    package var estimate: Int {
        switch method {
        case .history, .list, .describe, .graph: Limits().historyBytes
        default: 8192
        }
    }
    /// The cursor of a watch of all sessions.
    package let since: String?

    /// The request with these parameters; nil if it is about no session, or names none that could
    /// exist: then the daemon itself answers.
    init?(_ method: Method, _ params: borrowing Params) {
        guard let target = Self.target(method, params) else { return nil }
        self.init(
            method, target, line: Self.line(method, params),
            id: params.has(.id), limit: params.int(.limit), topics: params.texts(.topics),
            since: target == .all ? params.text(.since) : nil)
    }

    /// A request in the text dialect. The node that executes it reads its words.
    init?(_ request: TextRequest, _ line: ArraySlice<UInt8>) {
        var params = Params()
        // Whatever is wrong with the words is found where they are executed.
        do throws(CallError) { try params.take(request.params(), of: request.method) } catch {
            return nil
        }
        guard let target = Self.target(request.method, params) else { return nil }
        // Fan-outs are merged, so they are asked in JSON.
        let isWhole = target != .all
        self.init(
            request.method, target,
            line: isWhole ? Array(line) : Self.line(request.method, params),
            id: params.has(.id), limit: params.int(.limit), topics: params.texts(.topics),
            since: target == .all ? params.text(.since) : nil)
    }

    private init(
        _ method: Method, _ target: WatchTarget, line: [UInt8], id: Bool, limit: Int?,
        topics: [String]?, since: String?
    ) {
        (self.method, self.target, self.line) = (method, target, line)
        isRepeatable = id || !method.changes
        self.limit = limit ?? Limits().listDefault
        (self.topics, self.since) = (topics, since)
    }

    private static func target(_ method: Method, _ params: borrowing Params) -> WatchTarget? {
        switch method {
        case .list: .all
        // Tokens and connections are those of this node.
        case .invite, .screens: nil
        case .watch, .unwatch: try? params.target()
        case .describe, .graph: params.has(.session) ? own(params) : nil
        default: method.isAboutSession ? own(params) : nil
        }
    }

    private static func own(_ params: borrowing Params) -> WatchTarget? {
        (try? params.session()).map { .session($0) }
    }

    private static func line(_ method: Method, _ params: borrowing Params) -> [UInt8] {
        var writer = JSONWriter(capacity: 256)
        writer.beginReply()
        writer.int(1)
        writer.name("method")
        writer.plain(method.name)
        writer.name("params")
        params.write(of: method, to: &writer)
        writer.endObject()
        return writer.bytes
    }

    /// A watch that goes on: of a session after a `seq`, of all after a cursor, or from now on.
    package static func watch(_ target: WatchTarget, topics: [String]?, since: Value?)
        -> RoutedRequest
    {
        var members = [Member("session", target.text)]
        if let topics { members.append(Member("topics", .array(topics.map { .string($0) }))) }
        if let since { members.append(Member("since", since)) }
        return RoutedRequest(
            .watch, target, line: line(.watch, members), id: false, limit: nil, topics: topics,
            since: since?.text)
    }

    /// An event of this node itself for a session. `entry` is the entry for which it is meant.
    package static func send(
        _ event: String, _ arguments: [Member], to session: SessionName, id: String,
        ageMs: Int = 0, entry: Int? = nil
    ) -> RoutedRequest {
        var members = [Member("event", event), Member("args", .object(arguments))]
        if ageMs > 0 { members.append(Member("ageMs", ageMs)) }
        if let entry { members.append(Member("entry", entry)) }
        return own(.send, session, members, id: id)
    }

    /// Opens a session; without a flow, with the first one.
    package static func open(_ session: SessionName, flow: String?, id: String) -> RoutedRequest {
        own(.open, session, flow.map { [Member("flow", $0)] } ?? [], id: id)
    }

    /// A page of all sessions, after the one of this name.
    package static func list(after name: String?) -> RoutedRequest {
        RoutedRequest(
            .list, .all, line: line(.list, name.map { [Member("after", $0)] } ?? []), id: false,
            limit: nil, topics: nil, since: nil)
    }

    package static func status(of session: SessionName) -> RoutedRequest {
        own(.status, session, [], id: nil)
    }

    /// The newest records of a session. Some of them can be refusals, which are not changes.
    package static func newestRecords(of session: SessionName) -> RoutedRequest {
        own(.history, session, [Member("limit", 100)], id: nil)
    }

    private static func own(
        _ method: Method, _ session: SessionName, _ members: [Member], id: String?
    ) -> RoutedRequest {
        let params = [Member("session", session.text)] + (id.map { [Member("id", $0)] } ?? [])
        return RoutedRequest(
            method, .session(session), line: line(method, params + members), id: id != nil,
            limit: nil, topics: nil, since: nil)
    }

    private static func line(_ method: Method, _ params: [Member]) -> [UInt8] {
        JSONWriter.bytes {
            $0.object([
                Member("jsonrpc", "2.0"), Member("id", 1), Member("method", method.name),
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
    /// Writes the given parameters as an object.
    func write(of method: Method, to writer: inout JSONWriter) {
        writer.beginObject()
        for parameter in Parameter.allCases where method.all.contains(parameter) {
            guard let value = value(parameter) else { continue }
            writer.key(parameter.name.description)
            writer.value(value)
        }
        writer.endObject()
    }
}
