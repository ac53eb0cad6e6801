import GameFlow
import Inputs
import JSONCoding
import Sessions
import Support
import Timers

/// Reads one `map` line for a connection of the room:
/// `map mqtt=NAME topic=FILTER [payload=TEXT] [json=JSON] …`, `map osc=NAME address=PATTERN [min=NUMBER] …`,
/// `map serial=NAME line=PATTERN …`, `map evdev=NAME key=KEY …`, each with
/// `event=NAME [session=NAME] [args=JSON] [debounce=D]`.
struct InputMapDirective {
    private let kind: ConnectionLine.Kind
    private let line: ConfigurationFile.Line
    private let file: ConfigurationFile
    /// The flows whose events the line can name. If `isPartial` is true, some flows could not be read. An unknown event may
    /// then be an event of a flow that could not be read.
    private let flows: KnownFlows
    /// The words `KEY=VALUE`, by their keys.
    private var words: [String: TextWord] = [:]

    /// The kind of connection that a `map` line is about; nil for a line about a Bluetooth device.
    static func kind(of line: ConfigurationFile.Line) -> ConnectionLine.Kind? {
        line.words.lazy.compactMap { word in
            word.key.flatMap { ConnectionLine.Kind(rawValue: String($0)) }
        }.first
    }

    static func read(
        _ kind: ConnectionLine.Kind, _ line: ConfigurationFile.Line,
        in file: ConfigurationFile, _ flows: KnownFlows
    ) throws(ConfigurationFile.ConfigurationError) -> InputMap {
        try InputMapDirective(kind, line, file, flows).inputMap()
    }

    private init(
        _ kind: ConnectionLine.Kind, _ line: ConfigurationFile.Line, _ file: ConfigurationFile,
        _ flows: KnownFlows
    ) throws(ConfigurationFile.ConfigurationError) {
        (self.kind, self.line, self.file, self.flows) = (kind, line, file, flows)
        let keysOfKinds: [ConnectionLine.Kind: [String]] = [
            .mqtt: ["topic", "payload", "json"], .osc: ["address", "min"], .serial: ["line"],
            .evdev: ["key"],
        ]
        let keys =
            [kind.rawValue] + (keysOfKinds[kind] ?? [])
            + ["event", "session", "args", "debounce"]
        for word in line.words {
            guard let key = word.key.map(String.init), keys.contains(key) else {
                let similarKeys = DidYouMean.suggest(String(word.key ?? word.text[...]), keys)
                let hint =
                    similarKeys.isEmpty ? keys.joined(separator: ", ") : "\(similarKeys[0])="
                let quote = word.key == nil ? "; quote a value that contains spaces" : ""
                throw file.mistake(line, word, "\(word.text): expected \(hint)\(quote)")
            }
            guard words[key] == nil else { throw file.mistake(line, word, "\(key) is given twice") }
            guard !word.value.isEmpty || key == "payload" else {
                throw file.mistake(line, word, "\(key): empty")
            }
            words[key] = word
        }
    }

    private func inputMap() throws(ConfigurationFile.ConfigurationError) -> InputMap {
        let connection = try connection()
        let pattern = try pattern()
        let event = try event()
        let arguments = try arguments(pattern)
        try check(arguments, of: event)
        return InputMap(
            connection: connection, pattern: pattern, event: event,
            session: try session(pattern), arguments: arguments, debounce: try debounce())
    }

    /// The value of a key that must be given.
    private func text(_ key: String) throws(ConfigurationFile.ConfigurationError) -> String {
        guard let word = words[key] else {
            throw file.mistake(line, nil, "\(key)= is missing")
        }
        return String(word.value)
    }

    /// The connection's name. The file must have a line that defines the connection. That line may be before or after the `map`
    /// line.
    private func connection() throws(ConfigurationFile.ConfigurationError) -> String {
        let name = try text(kind.rawValue)
        let connectionNames = file.lines.filter { $0.name.text == kind.rawValue }
            .compactMap { $0.words.first { $0.key == nil }?.text }
        guard connectionNames.contains(name) else {
            let hint = DidYouMean.question(name, connectionNames).map { "; \($0)" } ?? ""
            throw file.mistake(
                line, words[kind.rawValue],
                "\(kind.rawValue): no line `\(kind.rawValue) \(name) …` defines it\(hint)")
        }
        return name
    }

    // MARK: patterns

    private func pattern() throws(ConfigurationFile.ConfigurationError) -> InputMap.Pattern {
        switch kind {
        case .mqtt: return try messagePattern()
        case .osc:
            guard let address = OSCPattern(try text("address")) else {
                throw file.mistake(
                    line, words["address"],
                    "address: expected an OSC address such as /vault/begin"
                )
            }
            return .osc(address, min: try minimum())
        case .serial: return .line(LinePattern(try text("line")))
        case .evdev:
            let name = try text("key")
            guard let code = KeyNames.code(of: name) else {
                let hint = DidYouMean.question(name, KeyNames.all).map { "; \($0)" } ?? ""
                throw file.mistake(line, words["key"], "key: no key \(name)\(hint)")
            }
            return .key(code)
        }
    }

    private func messagePattern() throws(ConfigurationFile.ConfigurationError) -> InputMap.Pattern {
        let filter = try text("topic")
        guard MQTTTopic.isFilter(filter) else {
            throw file.mistake(
                line, words["topic"],
                "topic: expected a topic; + stands for a whole level, a final # for all further ones"
            )
        }
        let payload = words["payload"].map { String($0.value) }
        guard payload == nil || words["json"] == nil else {
            throw file.mistake(line, words["json"], "json: cannot be combined with payload")
        }
        return .message(
            filter: filter, payload: payload, json: try words["json"].map(object))
    }

    /// The minimum value of the first argument of an OSC message; nil without `min=`.
    private func minimum() throws(ConfigurationFile.ConfigurationError) -> Double? {
        guard let word = words["min"] else { return nil }
        guard let number = Double(String(word.value)), number.isFinite else {
            throw file.mistake(line, word, "min: expected a number such as 0.5")
        }
        return number
    }

    // MARK: events

    private func event() throws(ConfigurationFile.ConfigurationError) -> String {
        let event = try text("event")
        let eventNames = flows.flows.flatMap(\.events).map(\.name)
        guard flows.isPartial || eventNames.contains(event) else {
            let hint = DidYouMean.question(event, eventNames).map { "; \($0)" } ?? ""
            throw file.mistake(
                line, words["event"], "event: no flow has an event \(event)\(hint)")
        }
        return event
    }

    private func object(_ word: TextWord) throws(ConfigurationFile.ConfigurationError) -> [Member] {
        try file.object(word, of: line, example: #"'{"player":"ann"}'"#)
    }

    private func arguments(_ pattern: InputMap.Pattern)
        throws(ConfigurationFile.ConfigurationError) -> [InputMap.MappedArgument]
    {
        guard let word = words["args"] else { return [] }
        var arguments: [InputMap.MappedArgument] = []
        for member in try object(word) {
            var valueTemplate: InputTemplate?
            if let text = member.value.text {
                valueTemplate = try template(text, pattern, word)
            }
            // The text of a template without placeholders: the argument then always has this value. Nil if there are
            // placeholders.
            let constant = valueTemplate?.value { _ in nil }
            arguments.append(
                InputMap.MappedArgument(
                    name: member.name, value: constant ?? member.value,
                    template: constant == nil ? valueTemplate : nil))
        }
        return arguments
    }

    /// Reads the template in `text`. A mistake is reported at `word`, the word that contains the text.
    private func template(_ text: String, _ pattern: InputMap.Pattern, _ word: TextWord)
        throws(ConfigurationFile.ConfigurationError) -> InputTemplate
    {
        let template: InputTemplate
        do throws(TemplateError) { template = try InputTemplate(text) } catch {
            throw file.mistake(line, word, "\(word.key ?? ""): \(error.why)")
        }
        for placeholder in template.placeholders
        where !Self.mayHaveValue(pattern, for: placeholder) {
            throw file.mistake(
                line, word,
                "\(word.key ?? ""): \(text): an input that this line matches has no value for one of the placeholders"
            )
        }
        return template
    }

    /// Whether an input that matches the pattern can have a value for this placeholder.
    private static func mayHaveValue(_ pattern: InputMap.Pattern, for placeholder: InputPlaceholder)
        -> Bool
    {
        switch (pattern, placeholder) {
        case (.message, .payload), (.message, .json): return true
        case (.message(let filter, _, _), .topic(let level)):
            let levels = MQTTTopic.levels(of: filter)
            return level <= levels.count || levels.last == "#"
        case (.osc, .number(let number)): return number <= OSCLimit.arguments
        case (.line(let line), .number(let number)): return number <= line.captureCount
        default: return false
        }
    }

    /// Throws if flows have an event with the name `event`, but none of these events takes these arguments.
    private func check(_ arguments: [InputMap.MappedArgument], of event: String)
        throws(ConfigurationFile.ConfigurationError)
    {
        let schemas = flows.flows.flatMap(\.events).filter { $0.name == event }
        guard let firstSchema = schemas.first else { return }
        let fits = schemas.contains { schema in
            arguments.allSatisfy { argument in
                schema.parameters.contains { $0.name == argument.name }
            }
                && schema.parameters.allSatisfy { parameter in
                    parameter.isOptional || arguments.contains { $0.name == parameter.name }
                }
        }
        guard !fits else { return }
        let parameters = firstSchema.parameters.map { "\($0.name): \($0.type)" }
            .joined(separator: ", ")
        throw file.mistake(
            line, words["args"],
            "args: \(event) takes \(parameters.isEmpty ? "nothing" : parameters)")
    }

    private func session(_ pattern: InputMap.Pattern)
        throws(ConfigurationFile.ConfigurationError) -> InputTemplate
    {
        guard let word = words["session"] else {
            // Without `session=`, the session `main` gets the event.
            return try template(SessionName.main.text, pattern, line.name)
        }
        let template = try template(String(word.value), pattern, word)
        guard !template.placeholders.isEmpty || SessionName(String(word.value)) != nil else {
            throw file.mistake(line, word, "session: expected 1 to 64 of A-Z a-z 0-9 . _ -")
        }
        return template
    }

    private func debounce() throws(ConfigurationFile.ConfigurationError) -> Duration {
        guard let word = words["debounce"] else { return .zero }
        guard let interval = DurationText.read(String(word.value)) else {
            throw file.mistake(line, word, "debounce: expected a duration such as 50ms")
        }
        return interval
    }
}
