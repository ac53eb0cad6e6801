public import Access

/// Everything that may be asked over the wire. JSON-RPC's method names and the text dialect's verbs
/// are the same.
public enum Method: String, CaseIterable, Sendable {
    case hello, ping, auth, send, status, list, open, close, watch, unwatch, timer, goto, advance,
        describe, graph, history, backup, prune, token, bluetooth

    /// What a peer must be allowed to call it; nil where that is nothing.
    public var role: Role? {
        switch self {
        case .auth: nil
        case .hello, .ping, .status, .list, .watch, .unwatch, .describe, .graph, .history,
            .bluetooth:
            .observe
        case .send: .play
        case .open, .close, .timer, .goto, .advance, .backup, .prune, .token: .operate
        }
    }

    /// Whether it changes something, whatever its parameters.
    public var changes: Bool { role.map { $0 > .observe } ?? false }

    /// The method's own parameters.
    var parameters: MethodParameters {
        switch self {
        case .hello, .ping, .prune: .none
        case .send: .send
        case .status, .unwatch: .status
        case .list: .list
        case .open: .open
        case .close: .close
        case .watch: .watch
        case .timer: .timer
        case .goto: .goto
        case .advance: .advance
        case .describe: .describe
        case .graph: .graph
        case .history: .history
        case .backup: .backup
        case .auth: .auth
        case .token: .token
        case .bluetooth: .bluetooth
        }
    }

    /// Whether it is about one session, or all of them, as its parameters say.
    var isAboutSession: Bool {
        switch self {
        case .send, .status, .open, .close, .watch, .unwatch, .timer, .goto, .history: true
        case .hello, .ping, .auth, .list, .advance, .describe, .graph, .backup, .prune, .token,
            .bluetooth:
            false
        }
    }

    /// The parameters that bare words stand for in the text dialect, in their order.
    var bareWords: [Parameter] {
        switch self {
        case .send: [.event]
        case .open, .goto: [.state]
        case .timer: [.fires, .action]
        case .advance: [.by]
        case .describe, .graph: [.flow]
        case .backup: [.to]
        case .auth: [.token]
        case .token: [.action, .name]
        case .bluetooth: [.action, .device, .button]
        case .hello, .ping, .status, .list, .close, .watch, .unwatch, .history, .prune: []
        }
    }

    /// The parameter that gathers what stands behind the bare word in the text dialect.
    var gathering: Parameter? {
        switch self {
        case .send: .args
        case .open, .goto: .data
        default: nil
        }
    }
}

/// Which parameters a method has, and which of them it cannot do without.
struct MethodParameters {
    let required: ParameterSet
    let all: ParameterSet

    private init(required: ParameterSet = [], optional: ParameterSet = []) {
        self.required = required
        all = required.union(optional)
    }

    static let none = MethodParameters()
    static let send = MethodParameters(
        required: [.event], optional: [.session, .args, .id, .ageMs, .entry])
    static let status = MethodParameters(optional: [.session])
    static let list = MethodParameters(optional: [.flow, .limit, .after])
    static let open = MethodParameters(required: [.session], optional: [.flow, .state, .data, .id])
    static let close = MethodParameters(required: [.session], optional: [.id])
    static let watch = MethodParameters(optional: [.session, .since, .topics])
    static let timer = MethodParameters(
        required: [.fires, .action], optional: [.session, .by, .id, .entry])
    static let goto = MethodParameters(
        required: [.state], optional: [.session, .data, .reason, .id, .entry])
    static let advance = MethodParameters(optional: [.by, .toNext])
    static let describe = MethodParameters(optional: [.flow])
    static let graph = MethodParameters(optional: [.flow, .format])
    static let backup = MethodParameters(optional: [.to, .onServer])
    static let auth = MethodParameters(required: [.token])
    static let token = MethodParameters(required: [.action], optional: [.name])
    static let bluetooth = MethodParameters(optional: [.action, .device, .button])
    static let history = MethodParameters(optional: [.session, .limit, .before, .refusal])
}
