import GameFlow
import Glibc
import JSONCoding
import RPC
import Sessions

/// The error object of a JSON-RPC reply: why a request failed.
struct ErrorReply: Error, Equatable {
    /// The number of the error: positive for gamed's own errors, negative for the errors of JSON-RPC.
    let code: Int
    /// The member `message`: the name of gamed's own error, such as `noTransition`, or JSON-RPC's message.
    let name: String
    /// An object with members that depend on the error, such as `event`, `state` and `why`.
    let data: Value
    /// The error object as received, for `--json`.
    let raw: [UInt8]
    /// To whom an `allow` line would have to give the right that was lacking, such as `uid:ann` or `token:desk`.
    private var principal = "uid:\(CurrentUser.name)"

    /// Reads an error object. `raw` are its bytes as received.
    init(_ value: Value, raw: [UInt8]) throws(CommandError) {
        code = try value.number("code")
        name = try value.text("message")
        data = value.find("data") ?? .object([])
        self.raw = raw
    }

    /// Reads the error of a recorded refusal. `source` is who sent the refused request.
    init(_ value: Value, of source: Value?) throws(CommandError) {
        // The bytes of the error are needed for `--json` only.
        try self.init(value, raw: [])
        guard let source else { return }
        if let name = source.find("as") {
            principal = TerminalSafe.text(name)
        } else if let uid = source.find("peer")?.find("uid") {
            principal = "uid:\(CurrentUser.name(of: uid))"
        } else if let kind = source.find("kind") {
            principal = "source:\(TerminalSafe.text(kind))"
        }
    }

    /// An error that gamectl finds before it sends the request, in the form of the daemon's error.
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
        // In these cases `why` is clear without the error's name.
        case "storage" where optionalText("why") != nil, "forbidden" where role != nil,
            "invalid" where optionalText("argument") == nil && optionalText("why") != nil:
            why
        default: why.isEmpty ? title : "\(title): \(why)"
        }
    }

    /// The error's name as in the protocol's text dialect, which has names for the errors of JSON-RPC too.
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
        case "invalid" where data.find("configuration") != nil:
            // A line for each mistake.
            (try? data.escapedTexts("mistakes"))?.joined(separator: "\n") ?? text("why")
        case "invalid": invalid
        case "hookRefused": "\(text("hook")): \(text("why"))"
        case "forbidden": forbidden
        case "unknownSession": unknown("session")
        case "unknownEvent": unknown("event")
        case "unknownFlow": unknown("flow")
        case "unknownState": unknown("state")
        case "Method not found": unknown("method")
        case "finished": "\(text("state")) is final: the session accepts no more events"
        // The request was meant for an earlier entry of a state.
        case "stale" where optionalText("entry") != nil:
            "the session has entered a state since entry \(text("entry")); the present entry is "
                + text("present")
        // The event was too old when it was sent.
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

    /// The reason of an `invalid` error: the event or the state, if it is about one, the argument, and why it is invalid. If it
    /// is about no argument, the reason is a sentence of its own.
    private var invalid: String {
        guard let argument = optionalText("argument") else { return text("why") }
        let subject = [optionalText("event") ?? optionalText("state"), argument]
        return "\(subject.compactMap { $0 }.joined(separator: " ")): \(text("why"))"
    }

    /// The reason of a `storage` error: why the store failed, and what this means for the request.
    private var storage: String {
        let outcome =
            switch optionalText("outcome") {
            case "undone": "Nothing was changed."
            case "unknown":
                "The request may have been carried out: send it again with the same id to find out."
            case let otherOutcome: "The outcome is \(otherOutcome ?? "unknown")."
            }
        return "\(text("why")). \(outcome)"
    }

    /// The role that the caller lacks: the first word of the member `needs` of a `forbidden` error. Examples of `needs` are
    /// `play`, `play in room-1` and `operate in every session`. Nil if the caller lacks something else.
    private var role: Role? {
        optionalText("needs")?.split(separator: " ").first.flatMap { Role(String($0)) }
    }

    /// The reason of a `forbidden` error. If a role is lacking, the text contains the `allow` line that would grant it.
    private var forbidden: String {
        let (action, needs) = (optionalText("event") ?? text("method"), text("needs"))
        // Only a timer of the state may send the event.
        if needs == "timer" {
            return "\(action) may not come from \(text("source")), only from timer"
        }
        guard let role else { return "\(action) needs \(needs)" }
        // After the role: `in` and a session's name, `in every session`, or `with` and the name of an event.
        let words = needs.split(separator: " ").dropFirst().map(String.init)
        let limits =
            switch (words.first, words.count) {
            case ("in", 2): " session=\(words[1])"
            case ("with", 2): " event=\(words[1])"
            default: ""
            }
        // The right for certain arguments cannot be told in a rule here.
        if words.first == "with", words.count > 2 { return "\(action) needs \(needs)" }
        let rule = "add `allow \(principal) \(role.name)\(limits)` to the configuration"
        switch role {
        case .operate where limits.isEmpty:
            return "\(action) needs operate: run as root, or \(rule)"
        case .operate, .play, .observe: return "\(action) needs \(needs): \(rule)"
        }
    }

    /// The reason of a `noTransition` error. The member `last` of a reply is the session's newest change. If the reply has this
    /// member, the text says who made the change, because the change may explain the refusal.
    private var noTransition: String {
        let accepts = (try? data.escapedTexts("accepts")) ?? []
        let acceptedEvents = accepts.isEmpty ? "nothing" : accepts.joined(separator: ", ")
        // The event is null if the flow hides it from the user.
        let event = data.find("event") == .null ? "the hidden event" : text("event")
        // The state takes the event in other cases, such as with other arguments.
        let exception = accepts.contains(event) ? " now, or not with these arguments" : ""
        let text =
            "\(text("state")) does not take \(event)\(exception); it accepts \(acceptedEvents)"
        // A change without an event, such as that of an operator, was no earlier press.
        guard let lastChange = data.find("last"), let lastEvent = lastChange.find("event") else {
            return text
        }
        let number = lastChange.find("seq").map { " (#\(TerminalSafe.value($0)))" } ?? ""
        let sender = lastChange.find("source").map(TerminalSafe.source) ?? "another client"
        return "\(text); \(sender) was first with \(TerminalSafe.value(lastEvent))\(number)"
    }

    /// The reason for a name that does not exist. `kind` is the member of `data` that contains the name, such as `session`.
    private func unknown(_ kind: String) -> String {
        let suggestions = (try? data.escapedTexts("didYouMean")) ?? []
        let hint =
            suggestions.isEmpty ? "" : "; did you mean \(suggestions.joined(separator: " or "))?"
        return "there is no \(kind) \(text(kind))\(hint)"
    }

    /// A member of `data`, escaped for a terminal; nil if it is missing.
    private func optionalText(_ name: String) -> String? { data.find(name).map(TerminalSafe.text) }
    /// As `optionalText`, but `?` for a missing member, so that an incomplete error can be shown.
    private func text(_ name: String) -> String { optionalText(name) ?? "?" }
}

/// The user who runs gamectl.
enum CurrentUser {
    /// The user's name, escaped for a terminal; the user's number if the user has no name. Wraps getpwuid(3).
    static var name: String {
        let uid = geteuid()
        return name(of: uid)
    }

    /// The name of a user whose number is in a reply; the number if the user has no name here.
    static func name(of number: Value) -> String {
        guard case .int(let number) = number, let uid = uid_t(exactly: number) else {
            return TerminalSafe.text(number)
        }
        return name(of: uid)
    }

    private static func name(of uid: uid_t) -> String {
        guard let entry = getpwuid(uid), let name = entry.pointee.pw_name else { return "\(uid)" }
        return TerminalSafe.escaped(String(cString: name))
    }
}
