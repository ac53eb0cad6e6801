public import Sessions

/// What `GET /v1/events` asks for.
public struct StreamRequest {
    public let target: WatchTarget
    public let topics: Topics
    /// The number of the last event that was seen.
    public let since: String?

    public init(_ request: RequestHead) throws(WebError) {
        guard let query = request.query else {
            throw WebError(.badRequest, why: "the query cannot be read")
        }
        if let odd = query.keys.sorted().first(where: {
            !["session", "topics", "since"].contains($0)
        }) {
            throw WebError(
                .badRequest, why: "\(odd.prefix(64)): unknown; expected session, topics, since")
        }
        switch query["session"] {
        case nil: target = .session(.main)
        case "*"?: target = .all
        case let name?:
            guard let session = SessionName(name) else {
                throw WebError(.badRequest, why: "session: 1 to 64 of A-Z a-z 0-9 . _ -, or *")
            }
            target = .session(session)
        }
        let names = query["topics"]?.split(separator: ",").map(String.init)
        do throws(Topics.Flaw) {
            topics = if let names { try Topics(names: names) } else { .changes }
        } catch { throw WebError(.badRequest, why: "topics: \(error.why)") }
        // What a browser that comes back by itself says holds against the address it came back to.
        since = request.header("Last-Event-ID") ?? query["since"]
    }

}
