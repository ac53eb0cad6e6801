import EventLoop
import GameFlow
import Inputs
import JSONCoding
import Outputs
import RPC
import Sessions
import Shell
import Support
import Timers

/// Reads an `on` line that sends an output: what causes the output, where it is sent, and its content.
struct OnDirective {
    /// The syntax of the arguments of `on`, shown for one kind of target.
    static let form =
        "effect=GLOB|enter=GLOB|leave=GLOB|refused|stuck [session=GLOB] mqtt=NAME topic=TEXT [payload=TEXT] [target=NAME] [max-age=D] [once=yes]"

    let line: ConfigurationFile.Line
    let file: ConfigurationFile
    /// The words `KEY=VALUE`, by their keys, which can contain hyphens. The value is stored too, because `TextWord` splits only
    /// words whose keys have no hyphen.
    private var words: [String: (word: TextWord, value: String)] = [:]
    /// The words `header=…`. No other key may be repeated.
    private(set) var headers: [(word: TextWord, value: String)] = []
    /// The triggers in the line that are words without a key.
    private var bareTriggers: [OutputLine.Trigger] = []

    /// The keys that a line with any kind of target can have.
    private static let commonKeys = [
        "effect", "enter", "leave", "refused", "stuck", "session", "target", "max-age", "once",
    ]
    /// The words without a key that are triggers.
    private static let triggersByWord: [String: OutputLine.Trigger] = [
        "refused": .refused, "stuck": .stuck,
    ]
    /// The kinds of targets. The key `name` selects the kind; `keys` are the other keys that only this kind has.
    private static let kinds: [(name: String, keys: [String])] = [
        ("mqtt", ["topic", "payload"]), ("osc", ["to", "address", "args"]), ("serial", ["line"]),
        ("http", ["secret-file", "allow-special", "method", "header", "body"]), ("run", []),
    ]

    /// Reads a line. `others` are the lines before it. Throws if one of them has the same text.
    static func read(
        _ line: ConfigurationFile.Line, in file: ConfigurationFile, others: [OutputLine]
    ) throws(ConfigurationFile.ConfigurationError) -> OutputLine {
        let output = try OnDirective(line, file).outputLine()
        guard !others.contains(where: { $0.text == output.text }) else {
            throw file.mistake(line, nil, "the line is given twice")
        }
        return output
    }

    private init(_ line: ConfigurationFile.Line, _ file: ConfigurationFile)
        throws(ConfigurationFile.ConfigurationError)
    {
        (self.line, self.file) = (line, file)
        let keys = Self.commonKeys + Self.kinds.flatMap { [$0.name] + $0.keys }
        for word in line.words {
            if let trigger = Self.triggersByWord[word.text], !word.isQuoted {
                bareTriggers.append(trigger)
                continue
            }
            // The words `refused` and `stuck` have no value.
            guard let (key, value) = word.pair, keys.contains(key),
                Self.triggersByWord[key] == nil
            else {
                let key = word.pair?.key ?? word.text
                let hint = DidYouMean.hint(key, keys)
                throw file.mistake(line, word, "\(key): unknown; \(hint)")
            }
            if key == "header" {
                headers.append((word, value))
                continue
            }
            guard words[key] == nil else { throw file.mistake(line, word, "\(key) is given twice") }
            words[key] = (word, value)
        }
    }

    private func outputLine() throws(ConfigurationFile.ConfigurationError) -> OutputLine {
        let kinds = Self.kinds.filter { words[$0.name] != nil }
        guard kinds.count == 1, let kind = kinds.first else {
            let names = Self.kinds.map { "\($0.name)=" }.joined(separator: ", ")
            throw file.mistake(line, nil, "expected one of \(names)")
        }
        let usedKeys = Set(words.keys).union(headers.isEmpty ? [] : ["header"])
        let otherKeys = usedKeys.subtracting(Self.commonKeys + [kind.name] + kind.keys)
        if let misplacedKey = otherKeys.sorted().first {
            throw mistake(misplacedKey, "does not belong to \(kind.name)=")
        }
        let texts = line.words.map { word in
            word.isQuoted || word.text.contains(" ") ? "\"\(word.text)\"" : word.text
        }
        // `line.words` do not contain `node=`, so the text gets it at the end.
        return OutputLine(
            text: (texts + (line.node.map { ["node=\($0)"] } ?? [])).joined(separator: " "),
            trigger: try trigger(), session: try session(),
            target: try target(kind.name), sharedTarget: try sharedTarget(), maxAge: try maxAge(),
            isOnce: try boolean("once"), node: line.node)
    }

    // MARK: values

    /// The error about the value of a key.
    func mistake(_ key: String, _ why: String) -> ConfigurationFile.ConfigurationError {
        let word = key == "header" ? headers.first?.word : words[key]?.word
        return file.mistake(line, word, "\(key): \(why)")
    }

    /// The value of a key; nil if the key is not given.
    func optionalText(_ key: String) -> String? { words[key]?.value }

    /// The value of a key that must be given.
    func text(_ key: String) throws(ConfigurationFile.ConfigurationError) -> String {
        guard let text = words[key]?.value, !text.isEmpty else {
            throw file.mistake(line, words[key]?.word, "\(key)= is missing")
        }
        return text
    }

    /// Reads the template in `text`. The text is the value of the key `key`, or a part of that value.
    func template(_ key: String, _ text: String)
        throws(ConfigurationFile.ConfigurationError) -> OutputTemplate
    {
        do throws(TemplateError) { return try OutputTemplate(text) } catch {
            throw mistake(key, error.why)
        }
    }

    /// The value `yes` or `no` of a key; false if the key is not given.
    func boolean(_ key: String) throws(ConfigurationFile.ConfigurationError) -> Bool {
        guard let text = words[key]?.value else { return false }
        guard text == "yes" || text == "no" else { throw mistake(key, "expected yes or no") }
        return text == "yes"
    }

    private func trigger() throws(ConfigurationFile.ConfigurationError) -> OutputLine.Trigger {
        let triggersWithKey = ["effect", "enter", "leave"].count { words[$0] != nil }
        guard triggersWithKey + bareTriggers.count == 1 else {
            throw file.mistake(
                line, nil, "expected effect=NAME or enter=STATE or leave=STATE or refused or stuck")
        }
        if let trigger = bareTriggers.first { return trigger }
        if words["effect"] != nil { return .effect(Glob(try text("effect"))) }
        if words["leave"] != nil { return .leave(Glob(try text("leave"))) }
        return .enter(Glob(try text("enter")))
    }

    /// The value of `target=`; nil without it.
    private func sharedTarget() throws(ConfigurationFile.ConfigurationError) -> String? {
        guard let name = words["target"]?.value else { return nil }
        guard SessionName(name) != nil else {
            throw mistake("target", "expected 1 to 64 of A-Z a-z 0-9 . _ -")
        }
        return name
    }

    /// The sessions that the line is about. An empty pattern is a mistake: it would match no session.
    private func session() throws(ConfigurationFile.ConfigurationError) -> Glob {
        Glob(words["session"] == nil ? "*" : try text("session"))
    }

    private func maxAge() throws(ConfigurationFile.ConfigurationError) -> Duration {
        guard let text = words["max-age"]?.value else { return DeliveryLimit.maxAge }
        guard let age = DurationText.read(text), age > .zero, age <= DeliveryLimit.longestAge else {
            throw mistake("max-age", "expected a duration of at most 1h")
        }
        return age
    }

    // MARK: targets

    private func target(_ kind: String) throws(ConfigurationFile.ConfigurationError)
        -> OutputTarget
    {
        switch kind {
        case "mqtt":
            let payload = words["payload"]?.value ?? ""
            return .mqtt(
                MQTTOutput(
                    connection: try connection(kind),
                    topic: try template("topic", try text("topic")),
                    payload: PayloadTemplate(
                        try template("payload", payload), writtenAs: payload)))
        case "serial":
            return .serial(
                SerialOutput(
                    connection: try connection(kind),
                    line: try template("line", try text("line"))))
        case "osc": return .osc(try osc())
        case "http": return .web(try web())
        default:  // `run`
            return .program(path: file.absolutePath(try text("run")))
        }
    }

    /// The name of the connection, which a line of the file must define.
    func connection(_ kind: String) throws(ConfigurationFile.ConfigurationError) -> String {
        let name = try text(kind)
        // If nodes share a store, `file` is a copy whose `lines` are only the `on` lines; `connections` has the lines of the
        // connections. This line and the line of the connection must not name different nodes.
        let connectionNames = (file.connections ?? file.lines).filter { definition in
            definition.name.text == kind
                && (line.node == nil || definition.node == nil || definition.node == line.node)
        }.compactMap { $0.words.first?.text }
        guard connectionNames.contains(name) else {
            throw mistake(kind, "no line `\(kind) \(name) …` defines it")
        }
        return name
    }
}
