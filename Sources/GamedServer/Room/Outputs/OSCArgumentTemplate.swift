import GameFlow
import Inputs

/// An argument of an OSC message, as an `on` line describes it.
enum OSCArgumentTemplate: Equatable {
    case constant(OSCArgument)
    /// The value of the template. If the template is a single placeholder, the type is that of the placeholder's value.
    case template(OutputTemplate)
    /// The value of the template as a text.
    case text(OutputTemplate)
    /// The value of the template as a number, which is multiplied by `scale`.
    case number(OutputTemplate, scale: Double, OSCNumberType)

    /// The argument with the values that `valueOf` returns for the placeholders. Nil if a value is missing, or cannot be
    /// written as this type.
    func value(_ valueOf: (OutputPlaceholder) -> Value?) -> OSCArgument? {
        switch self {
        case .constant(let value): return value
        case .template(let template):
            switch template.value(valueOf) {
            case .int(let number)?: return Self.integer(number)
            case .bool(let truth)?: return .truth(truth)
            case .string(let text)?: return Self.text(text)
            default: return nil
            }
        case .text(let template): return template.text(valueOf).flatMap(Self.text)
        case .number(let template, let scale, let type):
            switch template.value(valueOf) {
            case .int(let number)?: return type.argument(Double(number) * scale)
            case .bool(let truth)?: return type.argument((truth ? 1 : 0) * scale)
            case .string(let text)?: return Double(text).flatMap { type.argument($0 * scale) }
            default: return nil
            }
        }
    }

    /// An integer of 32 bits; of 64 bits if the number needs them.
    static func integer(_ number: Int) -> OSCArgument {
        Int32(exactly: number).map { .int($0) } ?? .long(Int64(number))
    }

    /// Nil for a text with a zero byte, which ends a text in a message.
    private static func text(_ text: String) -> OSCArgument? {
        text.utf8.contains(0) ? nil : .text(text)
    }
}

/// The type as which an OSC number is sent.
enum OSCNumberType {
    case float
    /// Rounded to the nearest integer.
    case integer

    /// Nil if the type cannot hold the number.
    func argument(_ number: Double) -> OSCArgument? {
        switch self {
        case .float:
            let float = Float(number)
            return float.isFinite ? .float(float) : nil
        case .integer: return Int(exactly: number.rounded()).map(OSCArgumentTemplate.integer)
        }
    }
}
