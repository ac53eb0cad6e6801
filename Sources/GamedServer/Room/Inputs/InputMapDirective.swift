import GameFlow
import JSONCoding
import Sessions
import Support
import Timers

/// Reads one `map` line for a connection of the room: `map WORD=NAME CONDITION event=NAME [session=NAME] [args=JSON] [debounce=D]`, in
/// which the word is that of a kind of connection, such as `mqtt`, and `InputPattern` reads the condition.
struct InputMapDirective {
    private let kind: any ConnectionEndpoint.Type
    private let line: ConfigurationFile.Line
    private let file: ConfigurationFile
    /// The flows whose events the line can name. If `isPartial` is true, some flows could not be read. An unknown event may
    /// then be an event of a flow that could not be read.
    private let flows: KnownFlows
    /// The words `KEY=VALUE`, by their keys.
    private var words: [String: TextWord] = [:]

    /// The kind of connection that a `map` line is about; nil for a line about a Bluetooth device.
    static func kind(of line: ConfigurationFile.Line) -> (any ConnectionEndpoint.Type)? {
        line.words.lazy.compactMap { $0.key.flatMap { RoomKinds.connection(String($0)) } }.first
    }

    static func read(
        _ kind: any ConnectionEndpoint.Type, _ line: ConfigurationFile.Line,
        in file: ConfigurationFile, _ flows: KnownFlows
    ) throws(ConfigurationFile.ConfigurationError) -> InputMap {
        try InputMapDirective(kind, line, file, flows).inputMap()
    }

    private init(
        _ kind: any ConnectionEndpoint.Type, _ line: ConfigurationFile.Line,
        _ file: ConfigurationFile, _ flows: KnownFlows
    ) throws(ConfigurationFile.ConfigurationError) {
        (self.kind, self.line, self.file, self.flows) = (kind, line, file, flows)
        let keys = [kind.word] + kind.pattern.keys + ["event", "session", "args", "debounce"]
        for word in line.words {
            guard let key = word.key.map(String.init), keys.contains(key) else {
                let similarKeys = DidYouMean.suggest(String(word.key ?? word.text[...]), keys)
                let hint =
                    similarKeys.isEmpty ? keys.joined(separator: ", ") : "\(similarKeys[0])="
                let quote = word.key == nil ? "; quote a value that contains spaces" : ""
                throw file.mistake(line, word, "\(word.text): expected \(hint)\(quote)")
            }
            guard words[key] == nil else { throw file.mistake(line, word, "\(key) is given twice") }
            guard !word.value.isEmpty || kind.pattern.keysOfEmptyValues.contains(key) else {
                throw file.mistake(line, word, "\(key): empty")
            }
            words[key] = word
        }
    }

    private func inputMap() throws(ConfigurationFile.ConfigurationError) -> InputMap {
        let connection = try connection()
        let pattern = try kind.pattern.init(self)
        let event = try event()
        let arguments = try arguments(pattern)
        try check(arguments, of: event)
        return InputMap(
            connection: connection, pattern: pattern, event: event,
            session: try session(pattern), arguments: arguments, debounce: try debounce())
    }

    /// The connection's name. The file must have a line that defines the connection. That line may be before or after the `map`
    /// line.
    private func connection() throws(ConfigurationFile.ConfigurationError) -> String {
        let name = try text(kind.word)
        let connectionNames = file.lines.filter { $0.name.text == kind.word }
            .compactMap { $0.words.first { $0.key == nil }?.text }
        guard connectionNames.contains(name) else {
            let hint = DidYouMean.question(name, connectionNames).map { "; \($0)" } ?? ""
            throw file.mistake(
                line, words[kind.word],
                "\(kind.word): no line `\(kind.word) \(name) …` defines it\(hint)")
        }
        return name
    }

    // MARK: for the patterns

    /// The value of a key that must be given.
    func text(_ key: String) throws(ConfigurationFile.ConfigurationError) -> String {
        guard let word = words[key] else {
            throw file.mistake(line, nil, "\(key)= is missing")
        }
        return String(word.value)
    }

    /// The value of a key; nil if the line does not have it.
    func optionalText(_ key: String) -> String? { words[key].map { String($0.value) } }

    /// The error about the value of a key.
    func mistake(_ key: String, _ why: String) -> ConfigurationFile.ConfigurationError {
        file.mistake(line, words[key], "\(key): \(why)")
    }

    /// The JSON object that is the value of a key; empty if the line does not have the key.
    func object(_ key: String) throws(ConfigurationFile.ConfigurationError) -> [Member] {
        guard let word = words[key] else { return [] }
        return try file.object(word, of: line, example: #"'{"player":"ann"}'"#)
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

    private func arguments(_ pattern: any InputPattern)
        throws(ConfigurationFile.ConfigurationError) -> [InputMap.MappedArgument]
    {
        guard let word = words["args"] else { return [] }
        var arguments: [InputMap.MappedArgument] = []
        for member in try object("args") {
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
    private func template(_ text: String, _ pattern: any InputPattern, _ word: TextWord)
        throws(ConfigurationFile.ConfigurationError) -> InputTemplate
    {
        let template: InputTemplate
        do throws(TemplateError) { template = try InputTemplate(text) } catch {
            throw file.mistake(line, word, "\(word.key ?? ""): \(error.why)")
        }
        for placeholder in template.placeholders
        where !pattern.mayHaveValue(for: placeholder) {
            throw file.mistake(
                line, word,
                "\(word.key ?? ""): \(text): an input that this line matches has no value for one of the placeholders"
            )
        }
        return template
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

    private func session(_ pattern: any InputPattern)
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
