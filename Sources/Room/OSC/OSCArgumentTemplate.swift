package import GameFlow
package import Inputs
import JSONCoding
package import Parts

/// An argument of an OSC message, as an `on` line describes it.
package enum OSCArgumentTemplate: Equatable {
    case constant(OSCArgument)
    /// The value of the template. If the template is a single placeholder, the type is that of the placeholder's value.
    case template(OutputTemplate)
    /// The value of the template as a text.
    case text(OutputTemplate)
    /// The value of the template as a number, which is multiplied by `scale`.
    case number(OutputTemplate, scale: Double, OSCNumberType)

    var placeholders: [OutputPlaceholder] {
        switch self {
        case .constant: []
        case .template(let template), .text(let template), .number(let template, _, _):
            template.placeholders
        }
    }

    /// The argument with the values that `valueOf` returns for the placeholders. Nil if a value is missing, or cannot be
    /// written as this type.
    package func value(_ valueOf: (OutputPlaceholder) -> Value?) -> OSCArgument? {
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
    package static func integer(_ number: Int) -> OSCArgument {
        Int32(exactly: number).map { .int($0) } ?? .long(Int64(number))
    }

    /// Nil for a text with a zero byte, which ends a text in a message.
    private static func text(_ text: String) -> OSCArgument? {
        text.utf8.contains(0) ? nil : .text(text)
    }
}

/// The type as which an OSC number is sent.
package enum OSCNumberType {
    case float
    /// Rounded to the nearest integer.
    case integer

    /// Nil if the type cannot hold the number.
    package func argument(_ number: Double) -> OSCArgument? {
        switch self {
        case .float:
            let float = Float(number)
            return float.isFinite ? .float(float) : nil
        case .integer: return Int(exactly: number.rounded()).map(OSCArgumentTemplate.integer)
        }
    }
}

/// Reads `args=`.
extension OSCArgumentTemplate {
    /// The templates of the arguments: the elements of the JSON list in `args=`. The list is not read as a `Value`, because a
    /// value does not tell `1.0` from `1`.
    package static func list(_ line: OnDirective) throws(ConfigurationError)
        -> [OSCArgumentTemplate]
    {
        guard let text = line.optionalText("args") else { return [] }
        var json = JSONText()
        guard (try? json.read(Array(text.utf8)[...])) != nil, json.kind(JSONText.root) == .array
        else { throw line.mistake("args", "expected a list such as [\"$data.level\",1,0.5]") }
        var arguments: [OSCArgumentTemplate] = []
        for node in json.children(of: JSONText.root) {
            arguments.append(try argument(json, node, line))
        }
        return arguments
    }

    private static func argument(_ json: borrowing JSONText, _ node: Int, _ line: OnDirective)
        throws(ConfigurationError) -> OSCArgumentTemplate
    {
        switch json.kind(node) {
        case .string: return .template(try line.template("args", json.string(at: node) ?? ""))
        case .bool: return .constant(.truth(json.value(at: node) == .bool(true)))
        case .null: return .constant(.null)
        case .number: return .constant(try number(json, node, line))
        case .object: return try typedArgument(json, node, line)
        case .array:
            throw line.mistake("args", "expected texts, numbers, true, false, null, \(typedForms)")
        }
    }

    /// A number with a fraction or an exponent is a float; another number is an integer.
    private static func number(_ json: borrowing JSONText, _ node: Int, _ line: OnDirective)
        throws(ConfigurationError) -> OSCArgument
    {
        let raw = String(decoding: json.raw(at: node), as: UTF8.self)
        let isFloat = raw.utf8.contains { ".eE".utf8.contains($0) }
        let argument =
            isFloat
            ? Double(raw).flatMap(OSCNumberType.float.argument)
            : Int(raw).map(OSCArgumentTemplate.integer)
        guard let argument else { throw line.mistake("args", "\(raw): too large") }
        return argument
    }

    /// The forms of arguments whose type is given, for messages.
    private static let typedForms =
        #"{"f":NUMBER,"scale":NUMBER}, {"i":NUMBER,"scale":NUMBER}, {"s":TEXT} or {"b":BASE64}"#

    /// An argument whose type the line gives: `{"f": …}`, `{"i": …}`, `{"s": …}` or `{"b": …}`.
    private static func typedArgument(
        _ json: borrowing JSONText, _ node: Int, _ line: OnDirective
    )
        throws(ConfigurationError) -> OSCArgumentTemplate
    {
        var types: [(name: String, node: Int)] = []
        var scale: Double?
        for (name, value) in json.members(of: node) {
            let name = json.string(at: name) ?? ""
            guard name == "scale" else {
                types.append((name, value))
                continue
            }
            scale = Double(String(decoding: json.raw(at: value), as: UTF8.self))
            guard json.kind(value) == .number, scale?.isFinite == true else {
                throw line.mistake("args", "scale: expected a number")
            }
        }
        guard types.count == 1, let type = types.first, scale == nil || "fi".contains(type.name)
        else { throw line.mistake("args", "expected \(typedForms)") }
        let text = json.string(at: type.node)
        switch (type.name, json.kind(type.node)) {
        case ("f", .string), ("f", .number):
            return try scaled(.float, text, json.raw(at: type.node), scale ?? 1, line)
        case ("i", .string), ("i", .number):
            return try scaled(.integer, text, json.raw(at: type.node), scale ?? 1, line)
        case ("s", .string): return .text(try line.template("args", text ?? ""))
        case ("b", .string):
            guard let bytes = Base64.decode(text ?? "") else {
                throw line.mistake("args", "b: expected Base64")
            }
            return .constant(.blob(bytes))
        default: throw line.mistake("args", "expected \(typedForms)")
        }
    }

    /// A number of this type: the template `text`, or the number whose text is `raw` if `text` is nil.
    private static func scaled(
        _ type: OSCNumberType, _ text: String?, _ raw: [UInt8], _ scale: Double,
        _ line: OnDirective
    )
        throws(ConfigurationError) -> OSCArgumentTemplate
    {
        let written = text ?? String(decoding: raw, as: UTF8.self)
        let argument = OSCArgumentTemplate.number(
            try line.template("args", written), scale: scale, type)
        // A text without placeholders is the same number each time.
        guard case .number(let template, _, _) = argument, template.placeholders.isEmpty else {
            return argument
        }
        guard let constant = argument.value({ _ in nil }) else {
            throw line.mistake("args", "\(written): expected a number")
        }
        return .constant(constant)
    }
}
