/// A text with placeholders for parts of an input.
typealias InputTemplate = Template<InputPlaceholder>

/// A part of an input: `$payload`, `$topicN`, `$json.a.b`, `$N`.
enum InputPlaceholder: TemplatePlaceholder {
    case payload
    /// A level of the topic, from 1.
    case topic(Int)
    case json([String])
    /// The part that a `*` of the line matched, or an argument of the OSC message, from 1.
    case number(Int)

    static func read(_ words: inout TemplateWords) throws(TemplateError) -> InputPlaceholder {
        let word = words.name()
        if word == "payload" { return .payload }
        if word == "json" {
            var path: [String] = []
            while let member = words.member() { path.append(member) }
            if path.isEmpty { throw TemplateError(why: "expected $json.NAME") }
            return .json(path)
        }
        if word.hasPrefix("topic"), let level = Int(word.dropFirst(5)), level > 0 {
            return .topic(level)
        }
        if let number = Int(word), number > 0 { return .number(number) }
        throw .unknown(word)
    }
}
