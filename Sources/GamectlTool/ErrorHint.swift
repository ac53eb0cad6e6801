import GameFlow
import Shell

/// Names the command that helps after an error of a command line.
struct ErrorHint {
    /// The verb of the command line; nil without a verb, or if no verb has this name.
    let verb: String?
    /// The session of the command line.
    let session: String
    /// Returns whether the caller may operate the session. Called only if the hint depends on it.
    let mayOperate: () -> Bool

    /// The command that helps, without `gamectl`; nil if no command does.
    func command(after error: CommandError) -> String? {
        switch error {
        case .usage: verb.map { "help \($0)" } ?? "--help"
        case .refused(let reply): command(after: reply)
        case .timedOut, .lost: "ping"
        case .malformed, .busy, .declined, .check, .unreachable, .protocolError: nil
        }
    }

    /// `@NAME` after a blank; empty for the session that a verb uses by default.
    private var atSession: String { session == "main" ? "" : " @\(TerminalSafe.escaped(session))" }

    private func command(after refusal: ErrorReply) -> String? {
        switch refusal.title {
        case "noTransition", "stale", "deferQueueFull", "exists": "status\(atSession)"
        case "finished": mayOperate() ? "open\(atSession) again=true" : "status\(atSession)"
        case "invalid": command(afterInvalid: refusal)
        case "unknownEvent", "unknownState": "describe\(atSession)"
        case "unknownSession": "list"
        case "unknownFlow": mayOperate() ? "flow list" : "hello"
        case "limit": "hello"
        case "storage": mayOperate() ? "alerts" : "ping"
        case "notVirtual": "help timer"
        case "invalidParams", "methodNotFound": verb.map { "help \($0)" } ?? "--help"
        // Only a timer of the state sends the event; an operator can set the timer.
        case "forbidden" where refusal.data.find("needs")?.text == "timer":
            mayOperate() ? "help timer" : "describe\(atSession)"
        // The flow declares the kinds of sources that may send the event.
        case "forbidden"
        where refusal.data.find("needs")?.text?.hasPrefix("a source of kind") == true:
            "describe\(atSession)"
        case "forbidden": "list"
        default: nil
        }
    }

    /// The command after an argument, a datum or an action that is not allowed.
    private func command(afterInvalid refusal: ErrorReply) -> String? {
        switch verb {
        case "undo": "history\(atSession)"
        case "timer": "status\(atSession)"
        // The error has every mistake with its position.
        case "reload": nil
        default:
            refusal.data.find("event") != nil || refusal.data.find("state") != nil
                ? "describe\(atSession)" : verb.map { "help \($0)" }
        }
    }
}

extension ErrorHint {
    /// The hints for a command line.
    init(_ arguments: [String]) {
        guard let line = try? LongOptions(arguments, CommandOption.table.map(\.form)) else {
            self.init(verb: nil, session: "main") { false }
            return
        }
        let name = line.words.first
        let verb = Verb.table.first { $0.name == name && !$0.forms.isEmpty }?.name
        let session = line.namedSession
        self.init(verb: verb, session: session) {
            // Only the status for callers who may operate contains the settings.
            DaemonCompletions(line).status(session)?.find("settings") != nil
        }
    }
}
