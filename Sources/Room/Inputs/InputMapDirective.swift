import GameFlow
import JSONCoding
package import Parts
import Sessions
import Support

/// Reads one `map` line for a connection of the room: `map WORD=NAME CONDITION event=NAME [session=NAME] [args=JSON]
/// [id=TEMPLATE] [debounce=D] [quiet=D]`, in which the word is that of a kind of connection, such as `mqtt`, and `InputPattern` reads the condition.
package struct InputMapDirective {
    private let kind: any ConnectionEndpoint.Type
    private let words: MapWords
    private let pattern: any InputPattern

    /// The kind of connection that a `map` line is about; nil for a line about a Bluetooth device.
    package static func kind(of line: ConfigurationFile.Line) -> (any ConnectionEndpoint.Type)? {
        line.words.lazy.compactMap { $0.key.flatMap { RoomKinds.connection(String($0)) } }.first
    }

    package static func read(
        _ kind: any ConnectionEndpoint.Type, _ line: ConfigurationFile.Line,
        in file: ConfigurationFile, _ flows: KnownFlows
    ) throws(ConfigurationError) -> InputMap {
        for word in line.words {
            guard let key = word.key.map(String.init), kind.keys.contains(key),
                !kind.pattern.keys.contains(key), !keys.contains(key)
            else { continue }
            let name = line.words.first { $0.key == kind.word[...] }.map { " \($0.value)" } ?? ""
            throw file.mistake(
                line, word,
                "\(key): a property of the connection; write it on the line `\(kind.word)\(name) …`"
            )
        }
        let words = try MapWords(
            line, file, flows,
            keys: [kind.word] + kind.pattern.keys + keys,
            mayBeEmpty: kind.pattern.keysOfEmptyValues)
        let connection = try connection(kind, words)
        let directive = InputMapDirective(
            kind: kind, words: words, pattern: try kind.pattern.init(words))
        return try directive.inputMap(connection)
    }

    /// The keys of the lines for all kinds of connections.
    private static let keys = ["event", "session", "args", "id", "debounce", "quiet"]

    private func inputMap(_ connection: String) throws(ConfigurationError) -> InputMap {
        let event = try event()
        let arguments = try arguments(of: event)
        try words.check(try words.object("args"), of: event)
        return InputMap(
            connection: connection, pattern: pattern, event: event,
            session: try session(), arguments: arguments, id: try id(),
            quiet: try words.quiet(), debounce: try words.debounce())
    }

    /// The connection's name. The file must have a line that defines the connection. That line may be before or after the `map`
    /// line.
    private static func connection(_ kind: any ConnectionEndpoint.Type, _ words: MapWords)
        throws(ConfigurationError) -> String
    {
        let name = try words.text(kind.word)
        let connectionNames = words.file.lines.filter { $0.name.text == kind.word }
            .compactMap { $0.words.first { $0.key == nil }?.text }
        guard connectionNames.contains(name) else {
            let hint = DidYouMean.question(name, connectionNames).map { "; \($0)" } ?? ""
            throw words.mistake(kind.word, "no line `\(kind.word) \(name) …` defines it\(hint)")
        }
        return name
    }

    private func event() throws(ConfigurationError) -> String {
        let event = try words.text("event")
        let eventNames = words.flows.flows.flatMap(\.events).map(\.name)
        guard words.flows.isPartial || eventNames.contains(event) else {
            let hint = DidYouMean.question(event, eventNames).map { "; \($0)" } ?? ""
            throw words.mistake("event", "no flow has an event \(event)\(hint)")
        }
        return event
    }

    private func arguments(of event: String) throws(ConfigurationError) -> [InputArgument] {
        let parameters = words.flows.flows.flatMap(\.events).filter { $0.name == event }
            .flatMap(\.parameters)
        var arguments: [InputArgument] = []
        for member in try words.object("args") {
            let read = { (text: String) throws(ConfigurationError) in try template("args", text) }
            let scaled = try ScaledArgument(
                member, types: parameters.filter { member.isNamed($0.name) }.map(\.type),
                template: read
            ) { words.mistake("args", $0) }
            if let scaled {
                // A short name is that of a text such as `90s`; a product is a number of milliseconds.
                if let duration = parameters.duration(withShortName: member.name) {
                    throw words.mistake(
                        "args",
                        "\(member.name): write \(duration.name) for a number of milliseconds")
                }
                arguments.append(.scaled(scaled))
            } else {
                arguments.append(.template(try TemplateArgument(member, template: read)))
            }
        }
        return arguments
    }

    private func id() throws(ConfigurationError) -> InputTemplate? {
        guard let text = words.optionalText("id") else { return nil }
        let template = try template("id", text)
        guard !template.placeholders.isEmpty else {
            throw words.mistake(
                "id", "expected a part of the input that is new each time, such as $json.id")
        }
        return template
    }

    /// Reads the template in `text`, which is the value of a key, or a part of that value.
    private func template(_ key: String, _ text: String) throws(ConfigurationError) -> InputTemplate
    {
        let template: InputTemplate
        do throws(TemplateError) { template = try InputTemplate(text) } catch {
            throw words.mistake(key, error.why)
        }
        guard template.placeholders.allSatisfy(pattern.mayHaveValue) else {
            throw words.mistake(
                key,
                "\(text): an input that this line matches has no value for one of the placeholders")
        }
        return template
    }

    private func session() throws(ConfigurationError) -> InputTemplate {
        // Without `session=`, the session `main` gets the event.
        let text = words.optionalText("session") ?? SessionName.main.text
        let template = try template("session", text)
        guard !template.placeholders.isEmpty || SessionName(text) != nil else {
            throw words.mistake("session", "expected 1 to 64 of A-Z a-z 0-9 . _ -")
        }
        return template
    }
}
