internal import GameFlow

/// Compiles what draws random values.
extension ExpressionCompiler {
    /// Compiles `random(LOW..HIGH)`, `pick(SET)` or `shuffle(TABLE)`.
    mutating func draw(_ function: ExpressionFunction, _ argument: Expression, _ offset: Int)
        throws(ExpressionError) -> CompiledExpression
    {
        guard scope.allowsDraws else {
            throw ExpressionError(
                offset: offset,
                why:
                    "\(function.rawValue) may stand only in with, left, do, post and the times of a row's actions"
            )
        }
        draws = true
        switch function {
        case .random: return try random(argument)
        case .pick: return try pick(argument)
        default: return try shuffle(argument)
        }
    }

    private mutating func random(_ argument: Expression) throws(ExpressionError)
        -> CompiledExpression
    {
        guard case .range(let low, let high) = argument.kind else {
            throw ExpressionError(
                offset: argument.offset, why: "write \(ExpressionFunction.random.form)")
        }
        let (from, to) = (try compile(low, as: .integer), try compile(high, as: .integer))
        if case (.int(let from)?, .int(let to)?) = (from.constant, to.constant), from > to {
            throw ExpressionError(offset: argument.offset, why: "\(from) is more than \(to)")
        }
        return CompiledExpression(.integer) { context throws(EvaluationError) in
            let (from, to) = (try from.integer(context), try to.integer(context))
            guard from <= to else { throw EvaluationError(why: "\(from) is more than \(to)") }
            return .int(context.draws?.number(in: from...to) ?? from)
        }
    }

    private mutating func pick(_ argument: Expression) throws(ExpressionError)
        -> CompiledExpression
    {
        let set = try compile(argument)
        guard set.type == .set || set.type.items != nil else {
            throw ExpressionError(
                offset: argument.offset,
                why: "expected a set or a checklist, but this is \(set.type.name)")
        }
        let type = set.type.items.map { DataType.oneOf($0) } ?? .text
        return CompiledExpression(type) { context throws(EvaluationError) in
            guard case .array(let values) = try set.evaluate(context), !values.isEmpty else {
                throw EvaluationError(why: "nothing can be picked from an empty set")
            }
            return values[context.draws?.number(in: 0...values.count - 1) ?? 0]
        }
    }

    private func shuffle(_ argument: Expression) throws(ExpressionError) -> CompiledExpression {
        guard let table = table(argument) else {
            throw ExpressionError(offset: argument.offset, why: "shuffle takes the name of a table")
        }
        let count = table.rows.count
        guard count <= FlowFileLimit.shuffledRows.maximum else {
            throw ExpressionError(
                offset: argument.offset, why: FlowFileLimit.shuffledRows.sentence)
        }
        return CompiledExpression(.order(table: table.name, rowCount: count)) { context in
            .array((context.draws?.order(count) ?? []).map { .int($0) })
        }
    }
}
