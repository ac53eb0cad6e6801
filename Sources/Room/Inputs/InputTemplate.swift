/// A text with placeholders for parts of an input.
package typealias InputTemplate = Template<InputPlaceholder>

/// A part of an input: `$payload`, `$topicN`, `$json.a.b`, `$N`.
package enum InputPlaceholder: TemplatePlaceholder {
    /// The payload of an MQTT message, as a text.
    case payload
    /// A level of an MQTT topic, counted from 1.
    case topic(Int)
    /// The member at this path of names in the JSON payload of an MQTT message.
    case json([String])
    /// In the pattern for a serial line: the text that matched the `*` with this number. For an OSC message: the argument with
    /// this number. The numbers begin with 1.
    case number(Int)

    /// Reads the placeholder after its dollar sign.
    package static func read(_ scanner: inout TemplateScanner) throws(TemplateError)
        -> InputPlaceholder
    {
        let name = scanner.scanName()
        if name == "payload" { return .payload }
        if name == "json" {
            var path: [String] = []
            while let member = scanner.scanMember() { path.append(member) }
            if path.isEmpty { throw TemplateError(why: "expected $json.NAME") }
            return .json(path)
        }
        if name.hasPrefix("topic"), let level = Int(name.dropFirst("topic".count)), level > 0 {
            return .topic(level)
        }
        if let number = Int(name), number > 0 { return .number(number) }
        throw .unknown(name)
    }
}
