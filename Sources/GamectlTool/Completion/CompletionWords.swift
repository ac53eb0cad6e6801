import GameFlow
import JSONCoding
import RPC
import Sessions
import Shell
import Support
import Timers

/// The words that may come next on a command line: what a shell offers when the user presses Tab.
struct CompletionWords {
    /// A word, and what it means in a few words, which some shells show beside it.
    struct Candidate: Equatable {
        let word: String
        var note = ""
    }

    /// Stands for the names of files, which the shell offers itself.
    static let files = Candidate(word: ":files")

    private let daemon: any CompletionSource
    private let flows: [AnyFlow]
    /// The words before the one that is completed.
    private let line: LongOptions
    /// The word that is completed; it may be empty.
    private let current: String
    /// The option whose value is completed; nil if the word is no value of an option.
    private let option: String?
    /// The words after the verb, without the session.
    private let words: [String]
    private let session: String

    /// `line` has the words before the one that is completed, and `current` is this word. If it is the value of an option,
    /// `option` is the option's name. `flows` are the program's flows.
    init(
        after line: LongOptions, _ current: String, valueOf option: String? = nil,
        _ daemon: any CompletionSource, _ flows: [AnyFlow]
    ) {
        (self.line, self.current, self.option) = (line, current, option)
        (self.daemon, self.flows) = (daemon, flows)
        words = line.words.dropFirst().filter { !$0.hasPrefix("@") }
        session = line.namedSession
    }

    /// The candidates that begin with the word.
    var candidates: [Candidate] {
        all.filter { $0 == Self.files || $0.word.hasPrefix(current) }
    }

    private var all: [Candidate] {
        if let option { return values(of: option) }
        guard let name = line.words.first else { return Self.verbs }
        guard let verb = Verb.table.first(where: { $0.name == name }) else {
            return name == "help" && words.isEmpty ? Self.verbs : []
        }
        if current.hasPrefix("@") { return sessions(of: verb) }
        let offered = ofVerb(verb)
        let staticWords = words.isEmpty ? staticWords(of: verb) : []
        return offered + staticWords + (verb.takesFiles ? [Self.files] : [])
    }

    /// The values of an option that depend on the daemon.
    private func values(of option: String) -> [Candidate] {
        switch option {
        case "session": daemon.sessions.map { Candidate(word: $0.name, note: $0.note) }
        case "state": states
        case "event": named(in: "events")
        default: []
        }
    }

    private static var verbs: [Candidate] {
        Verb.table.filter { $0.group != nil }.map {
            Candidate(word: $0.name, note: $0.forms.first?.sentence ?? "")
        }
    }

    private func staticWords(of verb: Verb) -> [Candidate] {
        switch verb.completions {
        case .fixed(let words): words.map { Candidate(word: $0) }
        case .flows where verb.group == .daemon: daemon.flows.map { Candidate(word: $0) }
        case .flows: flows.map { Candidate(word: $0.name) }
        }
    }

    /// The sessions, as words that begin with `@`. The verbs that take all sessions are offered `@*`.
    private func sessions(of verb: Verb) -> [Candidate] {
        guard verb.group == .daemon || verb.name == "flow" else { return [] }
        let all = verb.name == "watch" ? [Candidate(word: "@*", note: "all sessions")] : []
        return daemon.sessions.map { Candidate(word: "@\($0.name)", note: $0.note) } + all
    }

    /// The words that depend on the verb, and mostly on the daemon.
    private func ofVerb(_ verb: Verb) -> [Candidate] {
        switch verb.name {
        case "send": words.isEmpty ? events : arguments(of: subject, "args", in: "events")
        case "goto": subject.isEmpty ? states : arguments(of: subject, "data", in: "states")
        case "open": openingWords
        case "timer": timerWords
        case "label": labels
        case "invite": words.isEmpty ? daemon.sessions.map { Candidate(word: $0.name) } : []
        case "token" where words == ["remove"]: names(.token, "tokens", [Member("action", "list")])
        case "sources" where words.isEmpty: names(.sources, "sources", member: "source")
        case "alerts" where words == ["ack"]: names(.alerts, "alerts", member: "id")
        case "clients" where words == ["kick"]: names(.clients, "clients", member: "id")
        case "flow" where words == ["move"]: sessions(of: verb)
        case "status", "watch", "follow", "close", "history", "undo", "say", "move", "screens",
            "wait":
            words.isEmpty ? sessions(of: verb) : []
        default: []
        }
    }

    /// The first word without `=`: an event, a state or a timer; empty without such a word.
    private var subject: String { words.first { !$0.contains("=") } ?? "" }

    // MARK: events, states and their values

    /// The events that the session's state accepts, or all of its flow if the state is not known.
    private var events: [Candidate] {
        let declared = named(in: "events")
        guard let accepted = daemon.status(session)?.find("accepts")?.texts else { return declared }
        return accepted.map { name in
            declared.first { $0.word == name } ?? Candidate(word: name)
        }
    }

    private var states: [Candidate] { named(in: "states") }

    /// The flow that `open` names, or that the session plays.
    private var description: Value? {
        if line.words.first == "open" {
            return daemon.describe(flow: value(of: "flow"))
        }
        return daemon.describe(session: session)
    }

    /// The value of a word `NAME=VALUE` before the last word; nil without such a word.
    private func value(of name: String) -> String? {
        words.first { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1)) }
    }

    /// The names of a list of the flow's description, with their titles.
    private func named(in list: String) -> [Candidate] {
        (description?.find(list)?.elements ?? []).compactMap { element in
            element.find("name")?.text.map {
                Candidate(word: $0, note: element.find("title")?.text ?? "")
            }
        }
    }

    /// The arguments of an event or the data of a state that are not given yet, each with `=`; or the values of the one that is
    /// being typed.
    private func arguments(of subject: String, _ member: String, in list: String) -> [Candidate] {
        let declaration = description?.find(list)?.elements.first {
            $0.find("name")?.text == subject
        }
        return fields(declaration?.find(member)?.elements ?? [])
    }

    private func fields(_ fields: [Value]) -> [Candidate] {
        fields.flatMap { field -> [Candidate] in
            guard let name = field.find("name")?.text, value(of: name) == nil else { return [] }
            guard current.hasPrefix("\(name)=") else {
                return [Candidate(word: "\(name)=", note: field.find("type")?.text ?? "")]
            }
            return values(of: field).map { Candidate(word: "\(name)=\($0)") }
        }
    }

    /// The values of an argument or a datum that are known: its names, or those that the flow suggests.
    private func values(of field: Value) -> [String] {
        if field.find("type")?.text == "boolean" { return ["true", "false"] }
        let values = field.find("values")?.texts ?? field.find("suggest")?.texts ?? []
        return values.map { TextWords.write(text: $0) }
    }

    // MARK: words of single verbs

    /// The words of `open`: the flow, the state and its data.
    private var openingWords: [Candidate] {
        if current.hasPrefix("flow=") { return daemon.flows.map { Candidate(word: "flow=\($0)") } }
        if !subject.isEmpty { return arguments(of: subject, "data", in: "states") }
        let parameters = ["flow=", "settings=", "labels=", "again=true"]
        return states
            + parameters.filter { value(of: String($0.prefix { $0 != "=" })) == nil }
            .map { Candidate(word: $0) }
    }

    /// The words of `timer`: a timer of the session's state, an action, and the time that the action needs.
    private var timerWords: [Candidate] {
        switch words.count {
        case 0:
            let timers = daemon.status(session)?.find("timers")?.elements ?? []
            return timers.compactMap { timer in
                timer.find("fires")?.text.map {
                    Candidate(word: $0, note: timer.find("kind")?.text ?? "")
                }
            } + [Candidate(word: "*", note: "all timers")]
        case 1: return TimerOperation.Action.allCases.map { Candidate(word: $0.rawValue) }
        case 2: return words[1] == "set" ? [Candidate(word: "to=")] : byWords
        default: return []
        }
    }

    private var byWords: [Candidate] {
        ["extend", "shorten"].contains(words[1]) ? [Candidate(word: "by=")] : []
    }

    /// The labels that the session has.
    private var labels: [Candidate] {
        (daemon.status(session)?.find("labels")?.members ?? [])
            .filter { value(of: $0.name) == nil }
            .map { Candidate(word: "\($0.name)=", note: $0.value.text ?? "") }
    }

    /// The members of a list in the result of a method that only reads.
    private func names(_ method: Method, _ list: String, _ params: [Member] = []) -> [Candidate] {
        (daemon.result(of: Request(method, params))?.find(list)?.texts ?? [])
            .map { Candidate(word: $0) }
    }

    /// A member of each element of a list in the result of a method that only reads.
    private func names(_ method: Method, _ list: String, member: String) -> [Candidate] {
        (daemon.result(of: Request(method))?.find(list)?.elements ?? []).compactMap {
            $0.find(member)?.text.map { Candidate(word: $0) }
        }
    }
}

extension LongOptions {
    /// The session that the command line names: a word `@NAME`, or the option `--session`; by default `main`.
    var namedSession: String {
        words.dropFirst().last { $0.hasPrefix("@") }.map { String($0.dropFirst()) }
            ?? value("session") ?? "main"
    }
}

extension Value {
    /// The elements of an array; an empty list for another value.
    var elements: [Value] { if case .array(let elements) = self { elements } else { [] } }
    /// The texts in an array.
    var texts: [String] { elements.compactMap(\.text) }
}
