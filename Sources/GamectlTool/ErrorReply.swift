import GameFlow
import Glibc
import JSONCoding
import RPC
import Sessions

/// An error object of a reply.
struct ErrorReply: Error, Equatable {
    let code: Int
    let name: String
    let data: Value
    /// The error object as received, for `--json`.
    let raw: [UInt8]

    /// Reads an error object.
    init(_ value: Value, raw: [UInt8]) throws(CommandError) {
        code = try value.number("code")
        name = try value.text("message")
        data = value.find("data") ?? .object([])
        self.raw = raw
    }

    /// An error that gamectl finds itself, in the form of an error of the daemon.
    init(_ error: RequestError) {
        self.init(code: error.number, name: error.name.description, data: error.data)
    }

    init(code: Int, name: String, data: [Member]) {
        (self.code, self.name, self.data) = (code, name, .object(data))
        raw = JSONWriter.bytes {
            $0.object([
                Member("code", .int(code)), Member("message", .string(name)),
                Member("data", .object(data)),
            ])
        }
    }

    /// The error as a sentence.
    var sentence: String {
        switch name {
        // The sentence is complete without the error's name.
        case "storage" where optionalText("why") != nil, "forbidden" where needsRole: why
        default: why.isEmpty ? title : "\(title): \(why)"
        }
    }

    /// The error's name in the text dialect.
    var title: String {
        switch code {
        case -32700: "parseError"
        case -32600: "invalidRequest"
        case -32601: "methodNotFound"
        case -32602: "invalidParams"
        case -32603: "internalError"
        default: TerminalSafe.escaped(name)
        }
    }

    /// The reason without the error's name; may be empty.
    var why: String {
        switch name {
        case "noTransition": noTransition
        case "invalid":
            "\(optionalText("event") ?? optionalText("state") ?? "") \(text("argument")): \(text("why"))"
        case "hookRefused": "\(text("hook")): \(text("why"))"
        case "forbidden": forbidden
        case "unknownSession": unknown("session")
        case "unknownEvent": unknown("event")
        case "unknownFlow": unknown("flow")
        case "unknownState": unknown("state")
        case "Method not found": unknown("method")
        case "finished": "\(text("state")) is final: the session accepts no more events"
        case "stale" where optionalText("entry") != nil:
            "the session has entered a state since entry \(text("entry")); the present entry is "
                + text("present")
        case "stale":
            "the event is \(text("ageMs")) ms old; the limit is \(text("limitMs")) ms"
        case "deferQueueFull": "\(text("limit")) events are deferred already"
        case "exists": "session \(text("session")) is open already"
        case "limit": "\(text("which")): at most \(text("limit"))"
        case "storage": storage
        case "notVirtual": "the daemon runs on the real clock; start it with --clock virtual"
        default: optionalText("why") ?? TerminalSafe.pairs(data.members)
        }
    }

    private var storage: String {
        let outcome =
            switch optionalText("outcome") {
            case "undone": "Nothing was changed."
            case "unknown":
                "The request may have been carried out: send it again with the same id to find out."
            case let other: "The outcome is \(other ?? "unknown")."
            }
        return "\(text("why")). \(outcome)"
    }

    /// Whether the caller lacks a role.
    private var needsRole: Bool { role != nil }

    private var role: Role? {
        optionalText("needs")?.split(separator: " ").first.flatMap { Role(String($0)) }
    }

    private var forbidden: String {
        let (action, needs) = (optionalText("event") ?? text("method"), text("needs"))
        if needs == "timer" {
            return "\(action) may not come from \(text("source")), only from timer"
        }
        guard let role else { return "\(action) needs \(needs)" }
        let user = CurrentUser.name
        let words = needs.split(separator: " ").dropFirst()
        let session = words.count == 2 ? " session=\(words.last ?? "")" : ""
        let rule = "add `allow uid:\(user) \(role.name)\(session)` to the configuration"
        switch role {
        case .operate where session.isEmpty:
            return "\(action) needs operate: run as root, or \(rule)"
        case .operate, .play, .observe: return "\(action) needs \(needs): \(rule)"
        }
    }

    private var noTransition: String {
        let accepts = (try? data.escapedTexts("accepts")) ?? []
        let takes = accepts.isEmpty ? "nothing" : accepts.joined(separator: ", ")
        let text = "\(text("state")) does not take \(text("event")); it accepts \(takes)"
        guard let last = data.find("last") else { return text }
        let event = last.find("event").map { " with \(TerminalSafe.value($0))" } ?? ""
        let number = last.find("seq").map { " (#\(TerminalSafe.value($0)))" } ?? ""
        let sender = last.find("source").map(TerminalSafe.source) ?? "another client"
        return "\(text); \(sender) was first\(event)\(number)"
    }

    private func unknown(_ kind: String) -> String {
        let near = (try? data.escapedTexts("didYouMean")) ?? []
        let hint = near.isEmpty ? "" : "; did you mean \(near.joined(separator: " or "))?"
        return "there is no \(kind) \(text(kind))\(hint)"
    }

    private func optionalText(_ name: String) -> String? { data.find(name).map(TerminalSafe.text) }
    private func text(_ name: String) -> String { optionalText(name) ?? "?" }
}

/// The user who runs gamectl.
enum CurrentUser {
    /// The user's name, or the number if there is no name. Wraps getpwuid(3).
    static var name: String {
        let uid = geteuid()
        guard let entry = getpwuid(uid), let name = entry.pointee.pw_name else { return "\(uid)" }
        return TerminalSafe.escaped(String(cString: name))
    }
}
