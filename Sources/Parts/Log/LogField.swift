import RPC

/// What a line of the log is about, as a value that a reader of the journal can select, such as `SESSION=room-1`.
package enum LogField: Equatable, Sendable {
    case session(String)
    case flow(String)
    case event(String)
    case state(String)
    /// The principal or the host of a client, or another cause, such as a timer.
    case source(String)
    /// The name of a token, never its secret text.
    case token(String)
    case node(String)
    case reason(String)

    /// The name in JSON; the field of journald has the same name in capitals.
    package var name: String {
        switch self {
        case .session: "session"
        case .flow: "flow"
        case .event: "event"
        case .state: "state"
        case .source: "source"
        case .token: "token"
        case .node: "node"
        case .reason: "reason"
        }
    }

    /// The fields of a line about a client's account, which may be a token.
    package static func fields(ofAccount account: String) -> [LogField] {
        guard let principal = try? Principal(account), case .token(let name) = principal else {
            return [.source(account)]
        }
        return [.source(account), .token(name)]
    }

    package var value: String {
        switch self {
        case .session(let value), .flow(let value), .event(let value), .state(let value),
            .source(let value), .token(let value), .node(let value), .reason(let value):
            value
        }
    }
}
