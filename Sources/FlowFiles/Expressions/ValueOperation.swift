internal import GameFlow
internal import Support

/// The operations with which compiled expressions compute values. An operation throws if its result is an integer or a text
/// that is too large. It does not check the number of entries of a set or tally; `FieldDefinition.violation` checks that
/// number.
///
/// The `ExpressionCompiler` has checked the types of the operands. So an operand of a wrong type causes no error here.
/// Depending on the operation, the result is then the unchanged set or tally, zero or false. Or the operation takes the operand
/// for an empty text.
enum ValueOperation {
    /// Returns the sum, difference, product, quotient or remainder of two integers. A quotient is truncated. Throws for a
    /// division by zero, and for a result that a client cannot represent exactly (`Value.largest`).
    static func arithmetic(_ operation: BinaryOperator, _ a: Int, _ b: Int)
        throws(EvaluationError) -> Int
    {
        let (result, overflow): (Int, Bool)
        switch operation {
        case .plus: (result, overflow) = a.addingReportingOverflow(b)
        case .minus: (result, overflow) = a.subtractingReportingOverflow(b)
        case .times: (result, overflow) = a.multipliedReportingOverflow(by: b)
        case .dividedBy, .remainder:
            guard b != 0 else { throw EvaluationError(why: "division by zero") }
            (result, overflow) =
                operation == .dividedBy
                ? a.dividedReportingOverflow(by: b) : a.remainderReportingOverflow(dividingBy: b)
        default: throw EvaluationError(why: "\(operation.rawValue) is not arithmetic")
        }
        guard !overflow, -Value.largest...Value.largest ~= result else {
            throw EvaluationError(why: "the result of \(operation.rawValue) is too large")
        }
        return result
    }

    /// Returns the text `a` followed by the text `b`.
    static func joined(_ a: Value, _ b: Value) throws(EvaluationError) -> Value {
        let text = (a.text ?? "") + (b.text ?? "")
        guard text.unicodeScalars.count <= FlowFileLimit.textLength.maximum else {
            throw EvaluationError(
                why: "a text of more than \(FlowFileLimit.textLength.maximum) characters")
        }
        return .string(text)
    }

    // MARK: sets and tallies

    /// Returns the set with the element `element`. A set has no element twice.
    static func adding(_ element: Value, to set: Value) -> Value {
        guard case .array(let values) = set, !contains(values, element) else { return set }
        return .array(values + [element])
    }

    /// Returns the checklist with those of its items, in their order, that `isTicked` says.
    static func checklist(of names: [String], where isTicked: (Value) -> Bool) -> Value {
        .array(names.map { .string($0) }.filter(isTicked))
    }

    static func removing(_ element: Value, from set: Value) -> Value {
        guard case .array(let values) = set else { return set }
        return .array(values.filter { !areEqual($0, element) })
    }

    static func removing(_ name: Value, fromTally tally: Value) -> Value {
        guard case .object(let members) = tally else { return tally }
        return .object(members.filter { !areEqual(.string($0.name), name) })
    }

    static func contains(_ values: [Value], _ element: Value) -> Bool {
        values.contains { areEqual($0, element) }
    }

    /// Whether a set or the keys of a tally contain a text.
    static func isElement(_ element: Value, of collection: Value) -> Bool {
        switch collection {
        case .array(let values): contains(values, element)
        case .object(let members): members.contains { areEqual(.string($0.name), element) }
        default: false
        }
    }

    /// Returns the integer of a key in a tally; 0 if the tally does not have the key.
    static func points(_ tally: Value, _ key: Value) -> Int {
        guard case .object(let members) = tally,
            let member = members.first(where: { areEqual(.string($0.name), key) }),
            case .int(let points) = member.value
        else { return 0 }
        return points
    }

    /// Returns the keys of a tally that have its largest integer, as a set in the order of the tally; empty for an empty tally.
    static func leaders(_ tally: Value) -> Value {
        guard case .object(let members) = tally else { return .array([]) }
        let top = top(tally)
        return .array(members.filter { $0.value == .int(top) }.map { .string($0.name) })
    }

    /// Returns the largest integer of a tally; 0 for an empty tally.
    static func top(_ tally: Value) -> Int { integers(tally).max() ?? 0 }

    /// Returns 1 plus the number of keys with larger integers; 0 if the tally does not have the key.
    static func rank(_ tally: Value, _ key: Value) -> Int {
        guard isElement(key, of: tally) else { return 0 }
        let own = points(tally, key)
        return 1 + integers(tally).count { $0 > own }
    }

    private static func integers(_ tally: Value) -> [Int] {
        guard case .object(let members) = tally else { return [] }
        return members.compactMap { if case .int(let number) = $0.value { number } else { nil } }
    }

    /// Returns a copy of the tally in which the integer of a key is increased by `amount`. A key that the tally does not have
    /// begins with 0.
    static func addingPoints(_ amount: Int, to key: Value, in tally: Value)
        throws(EvaluationError) -> Value
    {
        guard case .object(var members) = tally, let name = key.text else { return tally }
        let sum = try arithmetic(.plus, points(tally, key), amount)
        if let index = members.firstIndex(where: { $0.name.hasSameBytes(as: name) }) {
            members[index] = Member(name, sum)
        } else {
            members.append(Member(name, sum))
        }
        return .object(members)
    }

    /// Returns the number of entries of a set or tally, or of Unicode scalars of a text.
    static func count(_ value: Value) -> Int {
        switch value {
        case .array(let values): values.count
        case .object(let members): members.count
        case .string(let text): text.unicodeScalars.count
        default: 0
        }
    }

    // MARK: comparisons

    /// Whether two values are equal; texts are compared scalar by scalar.
    static func areEqual(_ a: Value, _ b: Value) -> Bool {
        switch (a, b) {
        case (.string(let a), .string(let b)): return a.hasSameBytes(as: b)
        case (.array(let a), .array(let b)):
            return a.count == b.count && zip(a, b).allSatisfy { areEqual($0, $1) }
        case (.object(let a), .object(let b)):
            return a.count == b.count
                && zip(a, b).allSatisfy {
                    $0.name.hasSameBytes(as: $1.name) && areEqual($0.value, $1.value)
                }
        default: return a == b
        }
    }

    /// Whether a comparison of two times of day is true. Their texts are in the order of the times.
    static func compareTimes(_ operation: BinaryOperator, _ a: Value, _ b: Value) -> Bool {
        let (a, b) = (Array((a.text ?? "").utf8), Array((b.text ?? "").utf8))
        let order = a.lexicographicallyPrecedes(b) ? -1 : a == b ? 0 : 1
        return compare(operation, order, 0)
    }

    /// Whether a comparison of two integers is true.
    static func compare(_ operation: BinaryOperator, _ a: Int, _ b: Int) -> Bool {
        switch operation {
        case .less: a < b
        case .lessOrEqual: a <= b
        case .greater: a > b
        case .greaterOrEqual: a >= b
        case .notEqual: a != b
        default: a == b
        }
    }
}
