package import GameFlow
package import Parts
import RPC

/// An argument of the event that a `map` line sends.
package enum InputArgument: Equatable {
    case template(TemplateArgument<InputPlaceholder>)
    case scaled(ScaledArgument)

    package var name: String {
        switch self {
        case .template(let argument): argument.name
        case .scaled(let argument): argument.name
        }
    }

    /// The argument with the values that `valueOf` returns for the placeholders; nil if one is missing.
    package func member(_ valueOf: InputValues) -> Member? {
        switch self {
        case .template(let argument): argument.member(valueOf)
        case .scaled(let argument): argument.member(valueOf)
        }
    }
}

/// A number of an input, multiplied by a factor, such as `$1*100` for a fader that sends 0 to 1.
package struct ScaledArgument: Equatable {
    package let name: String
    /// A single placeholder.
    let template: InputTemplate
    let factor: Double
    /// Whether the event takes an integer, to which the product is rounded; otherwise it takes a text.
    let isRounded: Bool

    /// The argument with the product. If the value is no number, or the product is too large, the argument has the value itself,
    /// so that the event is refused with a sentence about its type. Nil if the value is missing.
    package func member(_ valueOf: InputValues) -> Member? {
        guard let value = template.value(valueOf) else { return nil }
        return Member(name, product(of: value) ?? value)
    }

    private func product(of value: Value) -> Value? {
        guard let number = Self.number(value).map({ $0 * factor }), number.isFinite else {
            return nil
        }
        let rounded = isRounded ? number.rounded() : number
        guard let whole = Int(exactly: rounded), abs(rounded) <= Double(Value.largest) else {
            return isRounded ? nil : .string("\(number)")
        }
        return isRounded ? .int(whole) : .string("\(whole)")
    }

    private static func number(_ value: Value) -> Double? {
        switch value {
        case .int(let number): Double(number)
        case .bool(let truth): truth ? 1 : 0
        // A null character would end the number early.
        case .string(let text):
            text.utf8.contains(0) ? nil : Double(ArgumentText.withoutBlanks(text))
        // A fraction in JSON; flows have none.
        case .unfit(_, let raw): Double(raw)
        case .null, .array, .object: nil
        }
    }
}

/// Reads `$1*100`.
extension ScaledArgument {
    /// Nil if the text is not a single placeholder with an asterisk after it. `template` parses a text. `types` are the types of
    /// this argument in the events of the line's name. `mistake` makes an error from a sentence.
    package init?(
        _ argument: Member, types: [String],
        template: (String) throws(ConfigurationError) -> InputTemplate,
        mistake: (String) -> ConfigurationError
    ) throws(ConfigurationError) {
        guard let text = argument.value.text, let star = text.lastIndex(of: "*"),
            let parsed = try? InputTemplate(String(text[..<star])), parsed.isPlaceholder
        else { return nil }
        let digits = text[text.index(after: star)...]
        guard digits.utf8.allSatisfy({ "0123456789.-eE".utf8.contains($0) }),
            let factor = Double(digits), factor.isFinite
        else { throw mistake("\(text): expected a number after the asterisk, such as $1*100") }
        guard types.allSatisfy({ $0 == "integer" || $0 == "string" }) else {
            throw mistake("\(text): \(argument.name) is no integer and no text")
        }
        name = argument.name
        self.factor = factor
        self.template = try template(String(text[..<star]))
        isRounded = types.isEmpty || types.contains("integer")
    }
}
