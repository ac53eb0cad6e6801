/// A text with placeholders for parts of an input.
typealias InputTemplate = Template<InputPlaceholder>

/// A part of an input: `$payload`, `$topicN`, `$json.a.b`, `$N`.
enum InputPlaceholder: TemplatePlaceholder {
    case payload
    /// A level of the topic, from 1.
    case topic(Int)
    case json([String])
    /// The part of a serial line that the `*` of this number in the pattern matched, or the argument of this number of an OSC
    /// message. Numbers begin with 1.
    case number(Int)

    static func read(_ scanner: inout TemplateScanner) throws(TemplateError) -> InputPlaceholder {
        let name = scanner.scanName()
        if name == "payload" { return .payload }
        if name == "json" {
            var path: [String] = []
            while let member = scanner.scanMember() { path.append(member) }
            if path.isEmpty { throw TemplateError(why: "expected $json.NAME") }
            return .json(path)
        }
        if name.hasPrefix("topic"), let level = Int(name.dropFirst(5)), level > 0 {
            return .topic(level)
        }
        if let number = Int(name), number > 0 { return .number(number) }
        throw .unknown(name)
    }
}
