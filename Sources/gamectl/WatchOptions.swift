import GameFlow
import RPC

/// What `gamectl watch` is to follow.
struct WatchOptions: Equatable {
    /// A session's name, or `*`.
    var target: String
    /// Nil where nobody said; what then is watched depends on who looks.
    var topics: [Value]?
    var since: Int?
    /// Where to begin, as a text that an earlier watch has shown.
    var cursor: String?

    var isAll: Bool { target == "*" }

    init(_ request: Request) throws(Failure) {
        target = "main"
        for param in request.params {
            switch (param.name, param.value) {
            case ("session", .string(let name)): target = name
            case ("topics", .array(let names)): topics = names
            case ("since", .int(let number)): since = number
            case ("since", .string(let text)) where Cursor(text) != nil: cursor = text
            case ("since", _): throw .usage("since: expected a number or a cursor")
            default: throw .usage("\(TerminalSafe.word(param.name)): unknown")
            }
        }
    }

    /// The request that begins to watch, from where the last one ended.
    func request(since: Int?, topics standard: [String]) -> Request {
        var params = [
            Member("session", .string(target)),
            Member("topics", .array(topics ?? standard.map { .string($0) })),
        ]
        if let since {
            params.append(Member("since", .int(since)))
        } else if let cursor {
            params.append(Member("since", .string(cursor)))
        }
        return Request(.watch, params)
    }
}
