import EventLoop
import GameFlow
import Inputs
import JSONCoding
import Outputs
import RPC
import Support
import Timers

/// Reads `on effect=GLOB|enter=GLOB [session=GLOB] mqtt=NAME topic=T [payload=T]|osc=NAME to=HOST:PORT address=T
/// [args=JSON]|serial=NAME line=T [max-age=D] [once=yes]`.
struct OnDirective {
    static let form =
        "effect=GLOB|enter=GLOB [session=GLOB] mqtt=NAME topic=TEXT [payload=TEXT] [max-age=D] [once=yes]"

    private let line: ConfigurationFile.Line
    private let file: ConfigurationFile
    private var words: [String: (word: TextWord, value: String)] = [:]
    private static let keys = [
        "effect", "enter", "session", "mqtt", "topic", "payload", "osc", "to", "address", "args",
        "serial", "line", "max-age", "once",
    ]

    static func read(
        _ line: ConfigurationFile.Line, in file: ConfigurationFile
    ) throws(ConfigurationFile.ConfigurationError) -> OutputLine {
        try OnDirective(line, file).output()
    }

    private init(_ line: ConfigurationFile.Line, _ file: ConfigurationFile)
        throws(ConfigurationFile.ConfigurationError)
    {
        (self.line, self.file) = (line, file)
        for word in line.words {
            // A name with a hyphen is no name of a parameter.
            let age = "max-age="
            let isAge = word.text.hasPrefix(age)
            let key = isAge ? "max-age" : word.key.map(String.init) ?? word.text
            guard Self.keys.contains(key), isAge || word.key != nil else {
                let hint = DidYouMean.hint(key, Self.keys)
                throw file.mistake(line, word, "\(key): unknown; \(hint)")
            }
            guard words[key] == nil else { throw file.mistake(line, word, "\(key) is given twice") }
            words[key] = (
                word, isAge ? String(word.text.dropFirst(age.count)) : String(word.value)
            )
        }
    }

    private func output() throws(ConfigurationFile.ConfigurationError) -> OutputLine {
        let kinds = ["mqtt", "osc", "serial"].filter { words[$0] != nil }
        guard kinds.count == 1, let kind = kinds.first else {
            throw file.mistake(line, nil, "expected one of mqtt=NAME, osc=NAME, serial=NAME")
        }
        return OutputLine(
            trigger: try trigger(), session: Glob(words["session"]?.value ?? "*"),
            connection: try connection(kind), target: try target(kind), maxAge: try maxAge(),
            isOnce: try once())
    }

    private func mistake(_ key: String, _ why: String) -> ConfigurationFile.ConfigurationError {
        file.mistake(line, words[key]?.word, "\(key): \(why)")
    }

    private func text(_ key: String) throws(ConfigurationFile.ConfigurationError) -> String {
        guard let text = words[key]?.value, !text.isEmpty else {
            throw file.mistake(line, words[key]?.word, "\(key)= is missing")
        }
        return text
    }

    private func trigger() throws(ConfigurationFile.ConfigurationError) -> OutputLine.Trigger {
        guard (words["effect"] == nil) != (words["enter"] == nil) else {
            throw file.mistake(line, nil, "expected effect=NAME or enter=STATE")
        }
        if words["effect"] != nil { return .effect(Glob(try text("effect"))) }
        return .enter(Glob(try text("enter")))
    }

    private func connection(_ kind: String) throws(ConfigurationFile.ConfigurationError) -> String {
        let name = try text(kind)
        let known = file.lines.filter { $0.name.text == kind }.compactMap { $0.words.first?.text }
        guard known.contains(name) else {
            throw mistake(kind, "no line `\(kind) \(name) …` defines it")
        }
        return name
    }

    private func template(_ key: String, _ text: String)
        throws(ConfigurationFile.ConfigurationError) -> OutputTemplate
    {
        do throws(TemplateError) { return try OutputTemplate(text) } catch {
            throw mistake(key, error.why)
        }
    }

    private func target(_ kind: String) throws(ConfigurationFile.ConfigurationError)
        -> OutputLine.Target
    {
        switch kind {
        case "mqtt":
            return .mqtt(
                topic: try template("topic", try text("topic")),
                payload: try template("payload", words["payload"]?.value ?? ""))
        case "serial": return .serial(line: try template("line", try text("line")))
        default:
            guard case .network(let host, let port)? = Address(try text("to")), port > 0,
                HostLookup.numericAddresses(of: host, port) != nil
            else { throw mistake("to", "expected a numeric address and a port") }
            let address = try text("address")
            guard address.hasPrefix("/") else {
                throw mistake("address", "expected an OSC address such as /cue/1/start")
            }
            return .osc(
                host: host, port: port, address: try template("address", address),
                arguments: try arguments())
        }
    }

    private func arguments() throws(ConfigurationFile.ConfigurationError) -> [OutputLine.OSCValue] {
        guard let text = words["args"]?.value else { return [] }
        var json = JSONText()
        guard (try? json.read(Array(text.utf8)[...])) != nil,
            case .array(let values) = json.value(at: JSONText.root)
        else { throw mistake("args", "expected a list such as [\"$data.level\",1,0.5]") }
        var found: [OutputLine.OSCValue] = []
        for value in values {
            switch value {
            case .string(let text): found.append(.template(try template("args", text)))
            case .bool(let truth): found.append(.constant(.truth(truth)))
            case .null: found.append(.constant(.null))
            case .int(let number):
                found.append(
                    .constant(Int32(exactly: number).map { .int($0) } ?? .long(Int64(number))))
            case .unfit(_, let raw):
                guard let number = Float(raw), number.isFinite else {
                    throw mistake("args", "\(raw): no number")
                }
                found.append(.constant(.float(number)))
            case .array, .object: throw mistake("args", "expected texts, numbers and booleans")
            }
        }
        return found
    }

    private func maxAge() throws(ConfigurationFile.ConfigurationError) -> Duration {
        guard let text = words["max-age"]?.value else { return DeliveryLimit.maxAge }
        guard let age = DurationText.read(text), age > .zero, age <= DeliveryLimit.longestAge else {
            throw mistake("max-age", "expected a duration of at most 1h")
        }
        return age
    }

    private func once() throws(ConfigurationFile.ConfigurationError) -> Bool {
        guard let text = words["once"]?.value else { return false }
        guard text == "yes" || text == "no" else { throw mistake("once", "expected yes or no") }
        return text == "yes"
    }
}
