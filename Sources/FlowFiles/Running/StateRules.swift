internal import GameFlow

/// A state's definition, with values that are computed from it once for each `FileProgram`.
///
/// It is a class, so that a step copies one reference and not the definition.
final class StateRules {
    let definition: StateDefinition
    let name: FileStateName
    /// The rules of the state's data, in the order of their declarations.
    let fields: [FieldRules]
    let hasEntryEffects: Bool
    /// Whether the state has marks on countdowns.
    let hasMarks: Bool

    init(_ definition: StateDefinition, _ index: Int) {
        hasMarks = definition.timers.contains { $0.countdown != nil }
        hasEntryEffects = !definition.entryEffects.isEmpty
        self.definition = definition
        name = FileStateName(definition.name, index)
        fields = definition.data.map(FieldRules.init)
    }
}

/// The definition of an argument or datum, with values that are computed from it once for each `FileProgram`.
final class FieldRules {
    let definition: FieldDefinition
    /// The name on the wire; see `FieldDefinition.wireName`.
    let wireName: String
    /// The argument or datum as clients see it.
    let wireField: Field
    private let condition: FieldCondition?
    /// The allowed range of an integer, or of a duration in milliseconds; nil for other types. The range is kept here for
    /// speed: `check` is called in each step, and `definition.violation` is slower.
    private let range: ClosedRange<Int>?

    init(_ definition: FieldDefinition) {
        self.definition = definition
        (wireName, wireField) = (definition.wireName, definition.wireField)
        condition = definition.condition
        range =
            switch definition.type.unwrapped {
            case .integer: definition.limits ?? -Value.largest...Value.largest
            case .duration: definition.limits ?? FieldDefinition.allowedDurations
            default: nil
            }
    }

    /// Throws if a value of the right type is not allowed. `context` has the values that the condition of the argument or datum
    /// reads.
    func check(_ value: Value, _ context: EvaluationContext) throws(Reason) {
        if let range, case .int(let number) = value, range.contains(number) {
            // A number in the range is allowed; numbers have no other limits.
        } else if let why = definition.violation(value) {
            throw .invalid(wireName, why)
        }
        guard let condition else { return }
        let why: Value
        do {
            if try condition.expression.isTrue(context) { return }
            why = try condition.why.evaluate(context)
        } catch {
            throw .invalid(wireName, error.why)
        }
        throw .invalid(wireName, ofFlow: why.text ?? "")
    }

    /// Returns the datum's value for a state that is entered by its name: the value in `data`, otherwise the default, otherwise
    /// null. An optional datum that is missing in a recorded state is null, whatever its default is. Throws if `data` has no value,
    /// and the datum has no default and is not optional.
    func read(_ data: Arguments) throws(Reason) -> Value {
        // `data` returns a sample if an analysis enters the state with sample values; otherwise the samples are not used.
        guard let value = data.value(wireField, samples: definition.samples) else {
            // A recorded state has no datum that is null.
            if data.areRecorded, definition.type.isOptional { return .null }
            if let value = definition.defaultValue { return value }
            guard definition.type.isOptional else { throw .invalid(wireName, "missing") }
            return .null
        }
        do { return try definition.read(value) } catch { throw .invalid(wireName, error.why) }
    }
}
