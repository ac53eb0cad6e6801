import GameFlow
package import JSONCoding
import Outputs
package import Parts
import RPC
import Sessions
import Shell
import Support
import Timers

/// Reads an `on` line that sends an output: what causes the output, where it is sent, and its content.
package struct OnDirective {
    /// The syntax of the arguments of `on`, shown for one kind of target.
    package static let form =
        "effect=GLOB|enter=GLOB|leave=GLOB|refused|stuck|alert [kind=GLOB] [session=GLOB] \(RoomKinds.outputs[0].form) [target=NAME] [max-age=D] [once=yes]"

    package let line: ConfigurationFile.Line
    package let file: ConfigurationFile
    /// The words `KEY=VALUE`, by their keys, which can contain hyphens. The value is stored too, because `TextWord` splits only
    /// words whose keys have no hyphen. Only a key in `repeatableKeys` of the target has several words.
    private var words: [String: [(word: TextWord, value: String)]] = [:]
    /// The triggers in the line that are words without a key.
    private var bareTriggers: [OutputLine.Trigger] = []

    /// The keys that a line with any kind of target can have.
    private static let commonKeys =
        OutputLine.Trigger.keys + [
            "refused", "stuck", "alert", "kind", "session", "target", "max-age", "once",
        ]
    /// The words without a key that are triggers.
    private static let triggersByWord: [String: OutputLine.Trigger] = [
        "refused": .refused, "stuck": .stuck, "alert": .alert(Glob("*")),
    ]
    /// Reads a line. `others` are the lines before it. Throws if one of them has the same text.
    package static func read(
        _ line: ConfigurationFile.Line, in file: ConfigurationFile, others: [OutputLine]
    ) throws(ConfigurationError) -> OutputLine {
        let output = try OnDirective(line, file).outputLine()
        guard !others.contains(where: { $0.text == output.text }) else {
            let first = file.lines.first {
                $0.name.text == line.name.text && $0.words.map(\.text) == line.words.map(\.text)
            }
            throw file.repetition(line, of: "the line", first: first)
        }
        return output
    }

    private init(_ line: ConfigurationFile.Line, _ file: ConfigurationFile)
        throws(ConfigurationError)
    {
        (self.line, self.file) = (line, file)
        let keys = Self.commonKeys + RoomKinds.outputs.flatMap { [$0.word] + $0.keys }
        let repeatableKeys = RoomKinds.outputs.flatMap { $0.repeatableKeys }
        for word in line.words {
            if let trigger = Self.triggersByWord[word.text], !word.isQuoted {
                bareTriggers.append(trigger)
                continue
            }
            // The words `refused`, `stuck` and `alert` have no value.
            guard let (key, value) = word.pair, keys.contains(key),
                Self.triggersByWord[key] == nil
            else {
                let key = word.pair?.key ?? word.text
                let hint = DidYouMean.hint(key, keys)
                throw file.mistake(
                    line, word, "\(SecretText.maskedOutput(key)): unknown; \(hint)")
            }
            guard words[key] == nil || repeatableKeys.contains(key) else {
                throw file.mistake(line, word, "\(key) is given twice")
            }
            words[key, default: []].append((word, value))
        }
    }

    private func outputLine() throws(ConfigurationError) -> OutputLine {
        let kinds = RoomKinds.outputs.filter { words[$0.word] != nil }
        guard kinds.count == 1, let kind = kinds.first else {
            let names = RoomKinds.outputs.map { "\($0.word)=" }.joined(separator: ", ")
            throw file.mistake(line, nil, "expected one of \(names)")
        }
        let otherKeys = Set(words.keys).subtracting(Self.commonKeys + [kind.word] + kind.keys)
        if let misplacedKey = otherKeys.sorted().first {
            throw mistake(misplacedKey, "does not belong to \(kind.word)=")
        }
        return OutputLine(
            text: text { $0 }, listedText: text(SecretText.listedOutput), trigger: try trigger(),
            session: try session(),
            target: try kind.init(self), sharedTarget: try sharedTarget(), maxAge: try maxAge(),
            isOnce: try boolean("once"), node: line.node)
    }

    /// The text of the line, with each word as `shown` returns it.
    private func text(_ shown: (String) -> String) -> String {
        let texts = line.words.map { word in
            let text = shown(word.text)
            return word.isQuoted || text.contains(" ") ? "\"\(text)\"" : text
        }
        // `line.words` do not contain `node=`, so the text gets it at the end.
        return (texts + (line.node.map { ["node=\($0)"] } ?? [])).joined(separator: " ")
    }

    // MARK: values

    /// The error about the value of a key.
    package func mistake(_ key: String, _ why: String) -> ConfigurationError {
        file.mistake(line, words[key]?.first?.word, "\(key): \(why)")
    }

    /// The words of a key that can be given several times.
    package func repeated(_ key: String) -> [(word: TextWord, value: String)] { words[key] ?? [] }

    /// The value of a key; nil if the key is not given.
    package func optionalText(_ key: String) -> String? { words[key]?.first?.value }

    /// The value of a key that must be given.
    package func text(_ key: String) throws(ConfigurationError) -> String {
        guard let text = optionalText(key), !text.isEmpty else {
            throw file.mistake(line, words[key]?.first?.word, "\(key)= is missing")
        }
        return text
    }

    /// Reads the template in `text`. The text is the value of the key `key`, or a part of that value.
    package func template(_ key: String, _ text: String) throws(ConfigurationError)
        -> OutputTemplate
    {
        let template: OutputTemplate
        do throws(TemplateError) { template = try OutputTemplate(text) } catch {
            throw mistake(key, error.why)
        }
        for placeholder in template.placeholders {
            switch placeholder {
            case .session: break
            case .alert:
                guard isAboutAlerts else { throw mistake(key, "$alert is only for on alert") }
            case .args, .data, .label, .state, .effect:
                guard !isAboutAlerts else {
                    throw mistake(key, "an alert has only $alert.X and $session")
                }
            }
        }
        return template
    }

    private var isAboutAlerts: Bool {
        bareTriggers.contains { if case .alert = $0 { true } else { false } }
    }

    /// The value `yes` or `no` of a key; false if the key is not given.
    package func boolean(_ key: String) throws(ConfigurationError) -> Bool {
        guard let text = optionalText(key) else { return false }
        guard text == "yes" || text == "no" else { throw mistake(key, "expected yes or no") }
        return text == "yes"
    }

    private func trigger() throws(ConfigurationError) -> OutputLine.Trigger {
        let keys = OutputLine.Trigger.keys.filter { words[$0] != nil }
        guard keys.count + bareTriggers.count == 1 else {
            throw file.mistake(
                line, nil,
                "expected effect=NAME or enter=STATE or leave=STATE or refused or stuck or alert"
            )
        }
        if isAboutAlerts { return .alert(try alertKind()) }
        if words["kind"] != nil { throw mistake("kind", "only for on alert") }
        guard let key = keys.first,
            let trigger = OutputLine.Trigger(key: key, pattern: try text(key))
        else { return bareTriggers[0] }
        return trigger
    }

    /// The kinds of alerts that the line is about.
    private func alertKind() throws(ConfigurationError) -> Glob {
        guard words["kind"] != nil else { return Glob("*") }
        let (pattern, kinds) = (try text("kind"), Alert.Kind.allCases.map(\.rawValue))
        guard kinds.contains(where: Glob(pattern).matches) else {
            throw mistake("kind", "no alert is of this kind; \(DidYouMean.hint(pattern, kinds))")
        }
        return Glob(pattern)
    }

    /// The value of `target=`; nil without it.
    private func sharedTarget() throws(ConfigurationError) -> String? {
        guard let name = optionalText("target") else { return nil }
        guard SessionName(name) != nil else {
            throw mistake("target", "expected 1 to 64 of A-Z a-z 0-9 . _ -")
        }
        return name
    }

    /// The sessions that the line is about. An empty pattern is a mistake: it would match no session.
    private func session() throws(ConfigurationError) -> Glob {
        Glob(words["session"] == nil ? "*" : try text("session"))
    }

    private func maxAge() throws(ConfigurationError) -> Duration {
        guard let text = optionalText("max-age") else { return DeliveryLimit.maxAge }
        guard let age = DurationText.read(text), age > .zero, age <= DeliveryLimit.longestAge else {
            throw mistake("max-age", "expected a duration of at most 1h")
        }
        return age
    }

    /// The name of the connection, which a line of the file must define.
    package func connection(_ kind: String) throws(ConfigurationError) -> String {
        let name = try text(kind)
        // This line and the line of the connection must not name different nodes.
        let connectionNames = file.lines.filter { definition in
            definition.name.text == kind
                && (line.node == nil || definition.node == nil || definition.node == line.node)
        }.compactMap { $0.words.first?.text }
        guard connectionNames.contains(name) else {
            throw mistake(kind, "no line `\(kind) \(name) …` defines it")
        }
        return name
    }
}
