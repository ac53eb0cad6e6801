package import GameFlow
import Support
internal import Timers

/// An argument of an event, or a datum of a state: its name, its type, and the limits and the condition for its values.
package struct FieldDefinition {
    package let name: String
    package let type: DataType
    /// The allowed range of an integer, of a duration in milliseconds, or of a text's length; nil if none is declared.
    package var limits: ClosedRange<Int>?
    /// The value that a datum has if nothing else provides one.
    package var defaultValue: Value?
    /// The condition of the key `unless`: a value is refused if the condition is false. Nil without this key.
    var condition: FieldCondition?
    /// Values that the analyses (lint, races, paths and coverage) try.
    var samples: [Value] = []
    /// The indices of the settings with which the file compares the argument; empty for a datum. The present values of these
    /// settings are samples, too.
    var comparedSettings: [Int] = []
    /// Whether a sample is a text with which the file compares the argument or datum. Players may have to find this text, so
    /// clients do not see the samples.
    var hasSecretSamples = false
    package var title: String?
    package var note: String?
    package var isHiddenFromPlayers = false
    /// Whether it is a datum of the flow, which every state carries.
    var isOfFlow = false
    /// Whether each name in a tally is a value that the file declares.
    var hasDeclaredNames = false

    init(name: String, type: DataType) { (self.name, self.type) = (name, type) }

    /// The argument or datum, as the scope of an expression has it.
    var variable: ExpressionScope.Variable {
        ExpressionScope.Variable(name: name, type: type, isOfFlow: isOfFlow)
    }

    /// The name on the wire. The name of a duration ends in `Ms`, because its value is in milliseconds.
    package var wireName: String {
        type.unwrapped == .duration ? name + Field.durationSuffix : name
    }
}

/// A condition that a value must satisfy, and the reason that a refusal gives.
final class FieldCondition {
    let expression: CompiledExpression
    /// The reason, which sees what the condition sees.
    let why: CompiledExpression

    init(expression: CompiledExpression, why: CompiledExpression) {
        (self.expression, self.why) = (expression, why)
    }
}

// MARK: values from outside

extension FieldDefinition {
    /// Converts a value from the wire to the form in which the session holds it. Throws if the value has the wrong type or is
    /// not one of the texts of a `one of`. Its limits are not checked here; see `violation`.
    func read(_ value: Value) throws(ArgumentError) -> Value {
        if case .optional = type, value == .null { return .null }
        switch type.unwrapped {
        case .integer, .duration: return .int(try Int(value))
        case .boolean: return .bool(try Bool(value))
        case .text, .link: return .string(try String(value))
        case .address:
            let text = try String(value)
            return .string(TextForm.canonicalAddress(text) ?? text)
        case .oneOf(let names):
            let text = try String(value)
            guard names.contains(where: text.hasSameBytes) else {
                throw ArgumentError("expected one of \(names.joined(separator: ", "))")
            }
            return .string(text)
        case .time:
            guard let time = TimeOfDay(try String(value))?.description else {
                throw ArgumentError("expected a time of day such as 20:00")
            }
            return .string(time)
        case .checklist(let names):
            let ticked = try [String](value).map { Value.string($0) }
            let known = ValueOperation.checklist(of: names) { ValueOperation.contains(ticked, $0) }
            guard ValueOperation.count(known) == ticked.count else {
                throw ArgumentError("expected some of \(names.joined(separator: ", ")), each once")
            }
            return known
        case .order(let table, let rowCount):
            guard case .array(let values) = value else { throw .expected("an array", value) }
            let numbers = try values.map { value throws(ArgumentError) in try Int(value) }
            guard numbers.allSatisfy((1...max(1, rowCount)).contains),
                Set(numbers).count == numbers.count
            else {
                throw ArgumentError(
                    "expected numbers of rows of \(table), 1…\(rowCount), each once")
            }
            return .array(numbers.map { .int($0) })
        case .set: return .array(try [String](value).map { .string($0) })
        case .tally:
            guard case .object(let members) = value else { throw .expected("an object", value) }
            for member in members { _ = try Int(member.value) }
            return value
        case .optional, .null, .emptyCollection:  // no field has such an unwrapped type
            throw ArgumentError("expected \(type.name)")
        }
    }

    /// Returns why a value of the right type is invalid: it is outside the limits, or does not have the required form. Returns
    /// nil for a valid value. The field's condition is not checked here.
    func violation(_ value: Value) -> String? {
        switch (type.unwrapped, value) {
        case (_, .null): nil
        case (.duration, .int(let number)): violation(number, limits ?? Self.allowedDurations)
        case (.integer, .int(let number)):
            violation(number, limits ?? -Value.largest...Value.largest)
        case (.text, .string(let text)):
            violation(text, limits ?? 0...FlowFileLimit.textLength.maximum)
        case (.link, .string(let text)):
            TextForm.isLink(text)
                ? violation(text, 0...FlowFileLimit.textLength.maximum)
                : "not a link of the form SCHEME://TEXT without blanks"
        case (.address, .string(let text)):
            TextForm.canonicalAddress(text) == nil
                ? "not six hexadecimal octets joined by : or -" : nil
        case (.set, .array(let values)): violation(set: values)
        case (.tally, .object(let members)): violation(tally: members)
        default: nil
        }
    }

    /// The range of a duration without declared limits, and of a timer's time: up to ten years, in milliseconds.
    static let allowedDurations = 0...315_619_200_000

    private func violation(_ number: Int, _ range: ClosedRange<Int>) -> String? {
        range.contains(number) ? nil : "not within \(range.lowerBound)…\(range.upperBound)"
    }

    private func violation(_ text: String, _ range: ClosedRange<Int>) -> String? {
        // A text has at most as many characters as bytes. So a text with few bytes need not be counted.
        let isShort = range.lowerBound == 0 && text.utf8.count <= range.upperBound
        if isShort || range.contains(text.unicodeScalars.count) { return nil }
        return "expected \(range.lowerBound)…\(range.upperBound) characters"
    }

    private func violation(set values: [Value]) -> String? {
        let maximum = FlowFileLimit.entries.maximum
        guard values.count <= maximum else { return "more than \(maximum) entries" }
        let texts = values.compactMap(\.text)
        let allowedLengths = 0...FlowFileLimit.textLength.maximum
        if let longText = texts.first(where: { violation($0, allowedLengths) != nil }) {
            return "\(longText.prefix(16))…: not of 0…\(allowedLengths.upperBound) characters"
        }
        guard texts.count > 1 else { return nil }
        return Set(texts.map { Array($0.utf8) }).count == texts.count
            ? nil : "the same entry twice"
    }

    private func violation(tally members: [Member]) -> String? {
        let maximum = FlowFileLimit.entries.maximum
        guard members.count <= maximum else { return "more than \(maximum) entries" }
        return members.contains { violation($0.name, 0...FlowFileLimit.textLength.maximum) != nil }
            ? "a name of more than \(FlowFileLimit.textLength.maximum) characters" : nil
    }
}
