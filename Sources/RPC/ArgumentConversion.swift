package import GameFlow
internal import JSONCoding
internal import Support
internal import Timers

/// Converts the values that devices and forms send, mostly texts, to the types of an event's arguments. The types have the
/// names that `describe` shows, such as `string`, `integer` and `boolean`.
package enum ArgumentConversion {
    /// Returns the arguments converted to the types that the flow declares for the event. An argument that is not declared
    /// becomes a string. A value that cannot be converted stays as it is, but a text with U+0000 becomes the unfit value that it is
    /// in JSON, because no flow refuses such a text otherwise. In all cases, the flow refuses the event later.
    package static func convert(_ arguments: [Member], of event: String, in flow: AnyFlow)
        -> [Member]
    {
        let fields = flow.events.first { $0.name == event }?.parameters ?? []
        let converted = arguments.map { argument in
            let field = fields.first { argument.isNamed($0.name) }
            // The text of a duration, such as `90s`, for an argument that has milliseconds.
            if field?.shortName != nil, let duration = duration(argument.value) {
                return Member(argument.name, .int(Int(duration.milliseconds)))
            }
            if fields.duration(withShortName: argument.name) != nil,
                let text = argument.value.text
            {
                return Member(argument.name, .string(ArgumentText.withoutBlanks(text)))
            }
            let value = convert(argument.value, to: field?.type ?? undeclaredType)
            return Member(argument.name, value ?? asInJSON(argument.value))
        }
        return converted.namingDurations(in: fields) ?? converted
    }

    /// The type to which undeclared arguments are converted.
    private static let undeclaredType = "string"

    /// Returns the value converted to a type; nil if it cannot be converted.
    package static func convert(_ value: Value, to type: String) -> Value? {
        switch type {
        case "string":
            // No argument may contain a null character.
            return hasNull(value) ? nil : .string(value.text ?? value.description)
        case "integer": return integer(value)
        case "boolean": return boolean(value)
        default:
            // The type is an array or an object. A text for it is JSON. `flaw` says why a value is not allowed in arguments; it
            // is nil for an allowed value.
            if value.flaw != nil { return nil }
            guard let text = value.text else { return value }
            guard let parsed = Value(json: text.utf8), parsed.flaw == nil else { return nil }
            return parsed
        }
    }

    /// Whether a text in the value has a null character. From JSON such a text comes as an unfit value; other unfit values are
    /// numbers.
    package static func hasNull(_ value: Value) -> Bool {
        switch value {
        case .string(let text): text.utf8.contains(0)
        case .unfit(_, let raw): raw.utf8.first == UInt8(ascii: "\"")
        case .array(let values): values.contains(where: hasNull)
        case .object(let members): members.contains { hasNull($0.value) }
        case .null, .bool, .int: false
        }
    }

    /// The value that a client would have sent as JSON: unfit if it is a text with a null character.
    private static func asInJSON(_ value: Value) -> Value {
        guard let text = value.text, text.utf8.contains(0) else { return value }
        return Value(json: JSONWriter.bytes { $0.string(text) }) ?? value
    }

    /// The duration in a text, such as `90s`; nil for another value.
    private static func duration(_ value: Value) -> Duration? {
        value.text.flatMap { DurationText.readSigned(ArgumentText.withoutBlanks($0)) }
    }

    /// Converts an integer, or the text of an integer that is in the range of JSON integers. The text may also have one of the
    /// other forms in which JSON can write a whole number, such as `9.0` or `1e1`. Nil for other values.
    private static func integer(_ value: Value) -> Value? {
        if case .int = value { return value }
        guard let text = value.text.map(ArgumentText.withoutBlanks) else { return nil }
        if let number = Int(text), (-Value.largest...Value.largest).contains(number) {
            return .int(number)
        }
        guard case .int(let number)? = Value(json: text.utf8) else { return nil }
        return .int(number)
    }

    /// A boolean, or a text or number that stands for one; nil for other values.
    private static func boolean(_ value: Value) -> Value? {
        if case .bool = value { return value }
        switch ArgumentText.withoutBlanks(value.text ?? value.description).lowercased() {
        case "true", "1", "on", "yes": return .bool(true)
        case "false", "0", "off", "no": return .bool(false)
        default: return nil
        }
    }
}

/// What devices send as the text of a value.
package enum ArgumentText {
    /// The text without blanks and line ends around it, which devices often send with a number.
    package static func withoutBlanks(_ text: String) -> String {
        let isBlank: (UInt8) -> Bool = { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        let trimmed = text.utf8.drop(while: isBlank)
        let end = trimmed.lastIndex { !isBlank($0) }.map(trimmed.index(after:))
        return String(decoding: trimmed[..<(end ?? trimmed.startIndex)], as: UTF8.self)
    }
}
