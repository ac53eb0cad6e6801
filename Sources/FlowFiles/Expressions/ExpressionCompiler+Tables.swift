internal import GameFlow

/// Compiles what reads tables and orders.
extension ExpressionCompiler {
    /// The table that a name means; nil for any other tree. An argument or a datum of that name comes first.
    func table(_ tree: Expression) -> TableDefinition? {
        guard case .name(let name) = tree.kind, scope.find(name) == nil else { return nil }
        return tables.first { $0.name == name }
    }

    /// Returns the sentence for the name of a table where a value is expected; nil for any other name.
    func tableMistake(_ name: String) -> String? {
        guard let table = tables.first(where: { $0.name == name }) else { return nil }
        let column = table.columns.first?.name ?? "COLUMN"
        return "\(name) is a table; write \(name)[1].\(column) or count(\(name))"
    }

    /// Compiles `TABLE[N].COLUMN` or `ORDER[N]`.
    mutating func row(
        of rows: Expression, _ number: Expression, _ column: String?, _ offset: Int
    ) throws(ExpressionError) -> CompiledExpression {
        if let table = table(rows) {
            return try cell(of: table, number, column, offset)
        }
        let order = try choosingRow { (compiler) throws(ExpressionError) in
            try compiler.compile(rows)
        }
        guard case .order(let table, let rowCount) = order.type else {
            throw ExpressionError(
                offset: offset,
                why: "only a table and an order have rows, and this is \(order.type.name)")
        }
        if let column {
            throw ExpressionError(
                offset: offset,
                why:
                    "an order has no columns; write \(table)[…[n]].\(column) for the row of the table"
            )
        }
        let place = try rowNumber(number, upTo: rowCount)
        return CompiledExpression(.integer) { context throws(EvaluationError) in
            let index = try place.integer(context)
            guard case .array(let numbers) = try order.evaluate(context),
                numbers.indices.contains(index - 1)
            else { throw EvaluationError(why: "the order of \(table) has no place \(index)") }
            return numbers[index - 1]
        }
    }

    /// Compiles `TABLE[N].COLUMN`.
    private mutating func cell(
        of table: TableDefinition, _ number: Expression, _ column: String?, _ offset: Int
    ) throws(ExpressionError) -> CompiledExpression {
        guard let column else {
            throw ExpressionError(
                offset: offset,
                why:
                    "a row of \(table.name) is no value; write \(table.name)[…].COLUMN with one of \(table.columns.map(\.name).joined(separator: ", "))"
            )
        }
        let index = try columnIndex(column, of: table, offset)
        let row = try rowNumber(number, upTo: table.rows.count)
        return CompiledExpression(table.columns[index].type) { context throws(EvaluationError) in
            let number = try row.integer(context)
            guard table.rows.indices.contains(number - 1) else {
                throw EvaluationError(why: "the table \(table.name) has no row \(number)")
            }
            return table.rows[number - 1][index]
        }.readingColumn(table.values(ofColumn: index))
    }

    /// Compiles the number of a row. The ends become samples of the argument or datum that the number consists of.
    private mutating func rowNumber(_ tree: Expression, upTo count: Int) throws(ExpressionError)
        -> CompiledExpression
    {
        let number = try choosingRow { (compiler) throws(ExpressionError) in
            try compiler.compile(tree, as: .integer)
        }
        if let slot = number.slot {
            for end in [1, count] {
                comparisons.append(Comparison(slot: slot, operand: .value(.int(end))))
            }
        }
        return number
    }

    /// Calls `compile`, and records that what it compiles chooses a row.
    private mutating func choosingRow(
        _ compile: (inout ExpressionCompiler) throws(ExpressionError) -> CompiledExpression
    ) throws(ExpressionError) -> CompiledExpression {
        let outerReads = reads
        reads = ExpressionReads()
        let compiled = try compile(&self)
        let innerReads = reads
        reads = outerReads
        reads.add(choosingRow: innerReads)
        return compiled
    }

    /// Compiles `find(TABLE, COLUMN, VALUE)`.
    mutating func find(_ arguments: [Expression]) throws(ExpressionError) -> CompiledExpression {
        guard let table = table(arguments[0]) else {
            guard case .name(let name) = arguments[0].kind, scope.find(name) == nil else {
                throw ExpressionError(
                    offset: arguments[0].offset, why: "find takes the name of a table")
            }
            throw ExpressionError(
                offset: arguments[0].offset,
                why: ExpressionScope.mistake("table \(name)", name, tables.map(\.name)))
        }
        guard case .name(let column) = arguments[1].kind else {
            throw ExpressionError(
                offset: arguments[1].offset,
                why: "find takes the name of a column, without quotes")
        }
        let index = try columnIndex(column, of: table, arguments[1].offset)
        let type = table.columns[index].type
        let value = try compile(arguments[2])
        let areTexts = value.type.unwrapped.isText && type.unwrapped.isText
        guard areTexts || value.type.commonType(with: type) != nil else {
            throw ExpressionError(
                offset: arguments[2].offset,
                why: "expected \(type.name), but this is \(value.type.name)")
        }
        if let slot = value.slot { recordValues(table.values(ofColumn: index), comparedWith: slot) }
        return CompiledExpression(.integer) { context throws(EvaluationError) in
            .int(table.number(ofRowWith: try value.evaluate(context), inColumn: index))
        }
    }

    private func columnIndex(_ column: String, of table: TableDefinition, _ offset: Int)
        throws(ExpressionError) -> Int
    {
        if let index = table.columns.firstIndex(where: { $0.name == column }) { return index }
        throw ExpressionError(
            offset: offset,
            why: ExpressionScope.mistake(
                "column \(column) of \(table.name)", column, table.columns.map(\.name)),
            unknownName: column)
    }

    /// Adds the values of a column to `comparisons` with an argument or a datum: the ends first, as there may be more than are
    /// tried.
    mutating func recordValues(_ values: [Value], comparedWith slot: ExpressionScope.Slot) {
        let ends = [values.first, values.last].compactMap { $0 }
        for value in (ends + values.dropFirst()).prefix(FlowFileLimit.samples.maximum)
        where value != .null {
            comparisons.append(Comparison(slot: slot, operand: .value(value)))
        }
        if case .argument(let index) = slot { reads.addComparison(ofArgument: index) }
    }
}
