internal import GameFlow
internal import Support
internal import Timers

/// Checks the types of an expression of a flow file and compiles it. In this file, a tree is an `Expression`, which is parsed
/// and not compiled yet. An offset is a place in the expression: the number of characters before the place.
///
/// The compiler also collects the values with which the expression compares an argument or a datum. The analyses, such as lint,
/// try these values as samples.
struct ExpressionCompiler {
    /// The names that the expression can use.
    let scope: ExpressionScope
    /// The tables of the file.
    let tables: [TableDefinition]
    /// The comparisons in the expression from which samples are made.
    var comparisons: [Comparison] = []
    /// What the expression reads.
    var reads = ExpressionReads()
    /// Whether the expression draws random values.
    var draws = false
    /// Whether the expression compares a set or tally with another one.
    private(set) var comparesCollections = false
    /// The data to which `add` gives names, and whether each of these names is a value that the file declares. Also has the other
    /// data in the same expressions, which are no tallies.
    private(set) var namesInTallies: [String: Bool] = [:]

    /// A comparison of `slot` with `operand`: of an argument, a datum or a setting with a constant or a setting.
    struct Comparison {
        enum Operand {
            case value(Value)
            /// The setting with this index.
            case setting(Int)
        }

        let slot: ExpressionScope.Slot
        let operand: Operand
    }

    init(_ scope: ExpressionScope, tables: [TableDefinition] = []) {
        (self.scope, self.tables) = (scope, tables)
    }

    /// Compiles the text of an expression. Throws if the text has a mistake, or if the expression's type does not fit
    /// `expected`. If `expected` is nil, the expression can have any type.
    mutating func compile(_ text: String, as expected: DataType?) throws(ExpressionError)
        -> CompiledExpression
    {
        let tree = try ExpressionParser.parse(text)
        let compiled = try compile(tree)
        guard let expected else { return compiled }
        return try convert(compiled, to: expected, tree.offset)
    }

    /// Returns the compiled expression with the type `type`; throws if its own type does not fit.
    private func convert(_ compiled: CompiledExpression, to type: DataType, _ offset: Int)
        throws(ExpressionError) -> CompiledExpression
    {
        guard compiled.type.fits(type) else {
            let hint =
                compiled.type.isOptional && compiled.type.unwrapped.fits(type)
                ? "; it may be null: write given(X, Y) for Y where X is null" : ""
            throw ExpressionError(
                offset: offset,
                why: "expected \(type.name), but this is \(compiled.type.name)\(hint)")
        }
        return compiled.converted(to: type)
    }

    // MARK: operands

    /// Compiles a tree of any type.
    mutating func compile(_ tree: Expression) throws(ExpressionError) -> CompiledExpression {
        switch tree.kind {
        case .literal(let value, let type): return CompiledExpression(value, type)
        case .name(let name):
            guard let (slot, type) = scope.find(name) else {
                let why = tableMistake(name) ?? scope.mistake(name)
                throw ExpressionError(offset: tree.offset, why: why, unknownName: name)
            }
            if let why = scope.ambiguity(name) {
                throw ExpressionError(offset: tree.offset, why: why)
            }
            reads.add(slot)
            return CompiledExpression(slot, type)
        case .member(let owner, let name): return try member(of: owner, name, tree.offset)
        case .negated(let operand): return try negated(operand)
        case .not(let operand):
            let operand = try compile(operand, as: .boolean)
            return CompiledExpression(.boolean) { context throws(EvaluationError) in
                .bool(!(try operand.isTrue(context)))
            }
        case .binary(let operation, let a, let b):
            return try binary(operation, a, b, tree.offset)
        case .inRange(let element, let low, let high):
            return try rangeMembership(element, low, high)
        case .conditional(let then, let condition, let otherwise):
            return try conditional(then, condition, otherwise, tree.offset)
        case .call(let name, let arguments): return try call(name, arguments, tree.offset)
        case .range:
            throw ExpressionError(
                offset: tree.offset, why: "a range stands after in, and in random(LOW..HIGH)")
        case .row(let rows, let number, let column):
            return try row(of: rows, number, column, tree.offset)
        }
    }

    /// Compiles a tree whose type must fit `type`.
    mutating func compile(_ tree: Expression, as type: DataType) throws(ExpressionError)
        -> CompiledExpression
    {
        try convert(try compile(tree), to: type, tree.offset)
    }

    /// Compiles an operand that is an integer or a duration.
    private mutating func number(_ tree: Expression) throws(ExpressionError) -> CompiledExpression {
        try number(try compile(tree), tree.offset)
    }

    /// Returns an operand that is an integer or a duration; throws if it is not.
    private func number(_ compiled: CompiledExpression, _ offset: Int) throws(ExpressionError)
        -> CompiledExpression
    {
        guard [.integer, .duration].contains(compiled.type) else {
            throw ExpressionError(
                offset: offset,
                why: "expected an integer or a duration, but this is \(compiled.type.name)")
        }
        return compiled
    }

    /// Compiles an operand that is a text.
    private mutating func text(_ tree: Expression) throws(ExpressionError) -> CompiledExpression {
        let compiled = try compile(tree)
        return compiled.type.isText ? compiled : try convert(compiled, to: .text, tree.offset)
    }

    /// Compiles `settings.NAME`, `state.NAME` or `event.NAME`.
    private mutating func member(of owner: String, _ name: String, _ offset: Int)
        throws(ExpressionError) -> CompiledExpression
    {
        let slotAndType: (slot: ExpressionScope.Slot, type: DataType)?
        let members: [ExpressionScope.Variable]?
        switch owner {
        case "settings": (slotAndType, members) = (scope.setting(name), scope.settings)
        case "state": (slotAndType, members) = (scope.datum(name), scope.data)
        case "event": (slotAndType, members) = (scope.argument(name), scope.arguments)
        default:
            throw ExpressionError(
                offset: offset, why: "\(owner).\(name): only settings, state and event have members"
            )
        }
        guard let (slot, type) = slotAndType else {
            throw ExpressionError(
                offset: offset,
                why: ExpressionScope.mistake(
                    "name \(owner).\(name)", name, (members ?? []).map(\.name)),
                unknownName: name)
        }
        reads.add(slot)
        return CompiledExpression(slot, type)
    }

    /// Compiles `-X`.
    private mutating func negated(_ tree: Expression) throws(ExpressionError) -> CompiledExpression
    {
        let operand = try number(tree)
        if case .int(let number)? = operand.constant {
            return CompiledExpression(.int(-number), operand.type)
        }
        return CompiledExpression(operand.type) { context throws(EvaluationError) in
            .int(-(try operand.integer(context)))
        }
    }

    /// Compiles `A if C else B`. `offset` is the offset of the whole expression.
    private mutating func conditional(
        _ then: Expression, _ condition: Expression, _ otherwise: Expression, _ offset: Int
    ) throws(ExpressionError) -> CompiledExpression {
        let (a, b) = (try compile(then), try compile(otherwise))
        let condition = try compile(condition, as: .boolean)
        guard let type = a.type.commonType(with: b.type) else {
            throw ExpressionError(
                offset: offset,
                why: "the two sides of if have different types: \(a.type.name) and \(b.type.name)")
        }
        let (first, second) = (a.converted(to: type), b.converted(to: type))
        return CompiledExpression(type) { context throws(EvaluationError) in
            try condition.isTrue(context)
                ? try first.evaluate(context) : try second.evaluate(context)
        }
    }

    // MARK: operators

    /// Compiles an operator with its operands `a` and `b`. `offset` is the offset of the operator.
    private mutating func binary(
        _ operation: BinaryOperator, _ a: Expression, _ b: Expression, _ offset: Int
    ) throws(ExpressionError) -> CompiledExpression {
        switch operation {
        case .or, .and: return try logical(operation, a, b)
        case .in: return try membership(a, b)
        case .equal, .notEqual: return try equality(operation, a, b, offset)
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            return try ordering(operation, a, b, offset)
        case .plus, .minus, .times, .dividedBy, .remainder:
            return try arithmetic(operation, a, b, offset)
        }
    }

    /// Compiles `and` or `or`.
    private mutating func logical(_ operation: BinaryOperator, _ a: Expression, _ b: Expression)
        throws(ExpressionError) -> CompiledExpression
    {
        let (a, b) = (try compile(a, as: .boolean), try compile(b, as: .boolean))
        // If the first operand is true in an `or`, or false in an `and`, it decides the result, and the second operand is not
        // evaluated.
        let decisive = operation == .or
        return CompiledExpression(.boolean) { context throws(EvaluationError) in
            if try a.isTrue(context) == decisive { return .bool(decisive) }
            return try b.evaluate(context)
        }
    }

    /// Compiles `==` or `!=`.
    private mutating func equality(
        _ operation: BinaryOperator, _ a: Expression, _ b: Expression, _ offset: Int
    ) throws(ExpressionError) -> CompiledExpression {
        let (left, right) = (try compile(a), try compile(b))
        let areTexts = left.type.unwrapped.isText && right.type.unwrapped.isText
        guard areTexts || left.type.commonType(with: right.type) != nil else {
            throw ExpressionError(
                offset: offset,
                why: "\(left.type.name) and \(right.type.name) cannot be compared")
        }
        if case .oneOf(let names) = left.type.unwrapped, left.constant == nil,
            let text = right.constant?.text
        {
            try checkText(text, isAmong: names, b.offset)
        }
        if case .oneOf(let names) = right.type.unwrapped, right.constant == nil,
            let text = left.constant?.text
        {
            try checkText(text, isAmong: names, a.offset)
        }
        recordComparison(left, right)
        if left.type.unwrapped.isCollection, right.type.unwrapped.isCollection {
            comparesCollections = true
        }
        // The literal `none` that is compared with a tally becomes an empty tally; no other value changes.
        let (first, second) = (left.converted(to: right.type), right.converted(to: left.type))
        let isEqual = operation == .equal
        return CompiledExpression(.boolean) { context throws(EvaluationError) in
            let (a, b) = (try first.evaluate(context), try second.evaluate(context))
            return .bool(ValueOperation.areEqual(a, b) == isEqual)
        }
    }

    /// Throws if `text`, which is compared with a value of a type `one of`, is not among the `names` of this type. Such a
    /// comparison would always have the same result.
    private func checkText(_ text: String, isAmong names: [String], _ offset: Int)
        throws(ExpressionError)
    {
        guard !names.contains(text) else { return }
        throw ExpressionError(
            offset: offset,
            why: ExpressionScope.mistake(
                "text '\(text)' among \(names.joined(separator: ", "))", text, names))
    }

    /// Compiles `<`, `<=`, `>` or `>=`.
    private mutating func ordering(
        _ operation: BinaryOperator, _ a: Expression, _ b: Expression, _ offset: Int
    ) throws(ExpressionError) -> CompiledExpression {
        let (first, second) = (try compile(a), try compile(b))
        if first.type == .time || second.type == .time {
            return try timeOrdering(operation, first, second, a.offset, b.offset)
        }
        let (left, right) = (try number(first, a.offset), try number(second, b.offset))
        guard left.type == right.type else {
            throw ExpressionError(
                offset: offset, why: "\(left.type.name) and \(right.type.name) cannot be compared")
        }
        recordComparison(left, right)
        return CompiledExpression(.boolean) { context throws(EvaluationError) in
            .bool(
                ValueOperation.compare(
                    operation, try left.integer(context), try right.integer(context)))
        }
    }

    /// Compiles a comparison of two times of day.
    private mutating func timeOrdering(
        _ operation: BinaryOperator, _ a: CompiledExpression, _ b: CompiledExpression,
        _ offsetOfA: Int, _ offsetOfB: Int
    ) throws(ExpressionError) -> CompiledExpression {
        let left = try convert(a, to: .time, offsetOfA)
        let right = try convert(b, to: .time, offsetOfB)
        recordComparison(left, right)
        return CompiledExpression(.boolean) { context throws(EvaluationError) in
            .bool(
                ValueOperation.compareTimes(
                    operation, try left.evaluate(context), try right.evaluate(context)))
        }
    }

    /// Compiles `X in LOW..HIGH`.
    private mutating func rangeMembership(
        _ element: Expression, _ low: Expression, _ high: Expression
    ) throws(ExpressionError) -> CompiledExpression {
        let (value, from, to) = (try number(element), try number(low), try number(high))
        guard value.type == from.type, value.type == to.type else {
            throw ExpressionError(
                offset: low.offset,
                why: "\(value.type.name) is not in a range of \(from.type.name) and \(to.type.name)"
            )
        }
        recordComparison(value, from)
        recordComparison(value, to)
        return CompiledExpression(.boolean) { context throws(EvaluationError) in
            let number = try value.integer(context)
            let (low, high) = (try from.integer(context), try to.integer(context))
            return .bool(low <= number && number <= high)
        }
    }

    /// Compiles `TEXT in SET` or `TEXT in TALLY`.
    private mutating func membership(_ a: Expression, _ b: Expression) throws(ExpressionError)
        -> CompiledExpression
    {
        let collection = try compile(b)
        guard collection.type.isCollection || collection.type == .emptyCollection else {
            throw ExpressionError(
                offset: b.offset,
                why:
                    "expected a set, a checklist, a tally or a range such as 1..5, but this is \(collection.type.name)"
            )
        }
        let element = try text(a)
        if let names = collection.type.items, let literal = element.constant?.text {
            try checkText(literal, isAmong: names, a.offset)
        }
        if let slot = collection.slot, collection.type == .set, let literal = element.constant {
            // A set with only this element makes the condition true, so the set becomes a sample.
            comparisons.append(Comparison(slot: slot, operand: .value(.array([literal]))))
        }
        return CompiledExpression(.boolean) { context throws(EvaluationError) in
            .bool(
                ValueOperation.isElement(
                    try element.evaluate(context), of: try collection.evaluate(context)))
        }
    }

    /// Compiles `+`, `-`, `*`, `/` or `%`. For a set, `+` adds an element and `-` removes one; `-` removes a
    /// name from a tally; for texts, `+` joins them.
    private mutating func arithmetic(
        _ operation: BinaryOperator, _ a: Expression, _ b: Expression, _ offset: Int
    ) throws(ExpressionError) -> CompiledExpression {
        let left = try compile(a)
        if let names = left.type.items, operation == .plus || operation == .minus {
            return changedChecklist(left, names, operation, try compile(b, as: .oneOf(names)))
        }
        if [.set, .emptyCollection].contains(left.type), operation == .plus || operation == .minus {
            return changedSet(left, operation, try text(b))
        }
        if left.type == .tally, operation == .minus { return shortenedTally(left, try text(b)) }
        if left.type.isText, operation == .plus { return joinedTexts(left, try text(b)) }
        let right = try compile(b)
        guard let type = Self.resultType(operation, left.type, right.type) else {
            throw ExpressionError(
                offset: offset,
                why:
                    "\(operation.rawValue) is not defined for \(left.type.name) and \(right.type.name)"
            )
        }
        return CompiledExpression(type) { context throws(EvaluationError) in
            .int(
                try ValueOperation.arithmetic(
                    operation, try left.integer(context), try right.integer(context)))
        }
    }

    /// Returns the type of the result of `+`, `-`, `*`, `/` or `%` for operands of the types `a` and `b`; nil if the operator
    /// is not defined for these types.
    private static func resultType(_ operation: BinaryOperator, _ a: DataType, _ b: DataType)
        -> DataType?
    {
        switch (operation, a, b) {
        case (_, .integer, .integer): .integer
        case (.plus, .duration, .duration), (.minus, .duration, .duration): .duration
        case (.times, .duration, .integer), (.times, .integer, .duration): .duration
        case (.dividedBy, .duration, .integer): .duration
        case (.dividedBy, .duration, .duration): .integer
        default: nil
        }
    }

    /// Compiles `SET + TEXT` or `SET - TEXT`.
    private func changedSet(
        _ set: CompiledExpression, _ operation: BinaryOperator, _ element: CompiledExpression
    ) -> CompiledExpression {
        let adds = operation == .plus
        return CompiledExpression(.set) { context throws(EvaluationError) in
            let (set, element) = (try set.evaluate(context), try element.evaluate(context))
            return adds
                ? ValueOperation.adding(element, to: set)
                : ValueOperation.removing(element, from: set)
        }
    }

    /// Compiles `TALLY - NAME`.
    private func shortenedTally(_ tally: CompiledExpression, _ name: CompiledExpression)
        -> CompiledExpression
    {
        CompiledExpression(.tally) { context throws(EvaluationError) in
            ValueOperation.removing(
                try name.evaluate(context), fromTally: try tally.evaluate(context))
        }
    }

    /// Compiles `CHECKLIST + TEXT` or `CHECKLIST - TEXT`.
    private func changedChecklist(
        _ list: CompiledExpression, _ names: [String], _ operation: BinaryOperator,
        _ item: CompiledExpression
    ) -> CompiledExpression {
        let adds = operation == .plus
        return CompiledExpression(list.type) { context throws(EvaluationError) in
            let (list, item) = (try list.evaluate(context), try item.evaluate(context))
            return ValueOperation.checklist(of: names) { name in
                ValueOperation.areEqual(name, item)
                    ? adds : ValueOperation.isElement(name, of: list)
            }
        }
    }

    /// Compiles `TEXT + TEXT`.
    private func joinedTexts(_ a: CompiledExpression, _ b: CompiledExpression)
        -> CompiledExpression
    {
        CompiledExpression(.text) { context throws(EvaluationError) in
            try ValueOperation.joined(try a.evaluate(context), try b.evaluate(context))
        }
    }

    // MARK: functions

    /// Compiles the call of a function.
    private mutating func call(_ name: String, _ arguments: [Expression], _ offset: Int)
        throws(ExpressionError) -> CompiledExpression
    {
        guard let function = ExpressionFunction(rawValue: name) else {
            throw ExpressionError(
                offset: offset,
                why: ExpressionScope.mistake(
                    "function \(name)", name, ExpressionFunction.allCases.map(\.rawValue)))
        }
        guard function.argumentCounts.contains(arguments.count) else {
            throw ExpressionError(offset: offset, why: "write \(function.form)")
        }
        switch function {
        case .left, .spent: return try timeOfTimer(function, arguments[0])
        case .min, .max: return try minimumOrMaximum(function, arguments)
        case .abs:
            let number = try number(arguments[0])
            return CompiledExpression(number.type) { context throws(EvaluationError) in
                .int(Swift.abs(try number.integer(context)))
            }
        case .count: return try count(arguments[0])
        case .all:
            let list = try compile(arguments[0])
            guard let names = list.type.items else {
                throw ExpressionError(
                    offset: arguments[0].offset,
                    why: "expected a checklist, but this is \(list.type.name)")
            }
            return CompiledExpression(.boolean) { context throws(EvaluationError) in
                .bool(ValueOperation.count(try list.evaluate(context)) == names.count)
            }
        case .points: return try number(of: arguments, ValueOperation.points)
        case .rank: return try number(of: arguments, ValueOperation.rank)
        case .add: return try add(arguments)
        case .leaders:
            let tally = try compile(arguments[0], as: .tally)
            return CompiledExpression(.set) { context throws(EvaluationError) in
                ValueOperation.leaders(try tally.evaluate(context))
            }
        case .top:
            let tally = try compile(arguments[0], as: .tally)
            return CompiledExpression(.integer) { context throws(EvaluationError) in
                .int(ValueOperation.top(try tally.evaluate(context)))
            }
        case .text: return try textForPeople(arguments[0])
        case .find: return try find(arguments)
        case .random, .pick, .shuffle: return try draw(function, arguments[0], offset)
        case .given: return try given(arguments)
        }
    }

    /// Compiles a function of a tally and a key whose value is an integer.
    private mutating func number(
        of arguments: [Expression], _ function: @escaping (_ tally: Value, _ key: Value) -> Int
    ) throws(ExpressionError) -> CompiledExpression {
        let (tally, key) = (try compile(arguments[0], as: .tally), try text(arguments[1]))
        return CompiledExpression(.integer) { context throws(EvaluationError) in
            .int(function(try tally.evaluate(context), try key.evaluate(context)))
        }
    }

    /// Compiles `text(X)`: an integer, a boolean or a duration as a text for people.
    private mutating func textForPeople(_ tree: Expression) throws(ExpressionError)
        -> CompiledExpression
    {
        let compiled = try compile(tree)
        guard [.integer, .boolean, .duration, .time].contains(compiled.type) else {
            throw ExpressionError(
                offset: tree.offset,
                why:
                    "expected an integer, a boolean, a time or a duration, but this is \(compiled.type.name)"
            )
        }
        let isDuration = compiled.type == .duration
        return CompiledExpression(.text) { context throws(EvaluationError) in
            switch try compiled.evaluate(context) {
            case .int(let number) where isDuration:
                .string(DurationText.clock(milliseconds: number))
            case .int(let number): .string(String(number))
            case .bool(let isTrue): .string(isTrue ? "true" : "false")
            case .string(let time): .string(time)
            default: .string("")
            }
        }
    }

    /// Compiles `left(TIMER)` or `spent(STOPWATCH)`: the time that the timer has left or has spent, in milliseconds.
    private mutating func timeOfTimer(_ function: ExpressionFunction, _ argument: Expression)
        throws(ExpressionError) -> CompiledExpression
    {
        guard let timers = scope.timers else {
            throw ExpressionError(
                offset: argument.offset,
                why: "\(function.rawValue) is not available here, because no timer is set yet")
        }
        guard case .name(let name) = argument.kind else {
            throw ExpressionError(
                offset: argument.offset, why: "\(function.rawValue) takes the name of a timer")
        }
        guard let index = timers.firstIndex(where: { $0.name == name }) else {
            throw ExpressionError(
                offset: argument.offset,
                why: ExpressionScope.mistake("timer \(name)", name, timers.map(\.name)))
        }
        if timers[index].kind == .when {
            throw ExpressionError(
                offset: argument.offset,
                why: "\(name) is a mark on a countdown; write left() of the countdown")
        }
        let isStopwatch = timers[index].kind == .stopwatch
        guard isStopwatch == (function == .spent) else {
            throw ExpressionError(
                offset: argument.offset,
                why: isStopwatch
                    ? "\(name) is a stopwatch, which has nothing left; write spent(\(name))"
                    : "spent is for stopwatches; write left(\(name))")
        }
        reads.timers = true
        if isStopwatch {
            return CompiledExpression(.duration) { context throws(EvaluationError) in
                // Rounded down, as a remaining time is rounded up: a nanosecond more changes neither.
                .int(-Int((.zero - (context.timers[index]?.spent ?? .zero)).milliseconds))
            }
        }
        return CompiledExpression(.duration) { context throws(EvaluationError) in
            // A timer that has fired, or was not set, has no time left.
            .int(Int(context.timers[index]?.remaining.milliseconds ?? 0))
        }
    }

    /// Compiles `min` or `max`.
    private mutating func minimumOrMaximum(
        _ function: ExpressionFunction, _ trees: [Expression]
    ) throws(ExpressionError) -> CompiledExpression {
        var numbers: [CompiledExpression] = []
        for tree in trees { numbers.append(try number(tree)) }
        let type = numbers[0].type
        if let unfit = numbers.firstIndex(where: { $0.type != type }) {
            throw ExpressionError(
                offset: trees[unfit].offset,
                why: "expected \(type.name), but this is \(numbers[unfit].type.name)")
        }
        let isMinimum = function == .min
        return CompiledExpression(type) { context throws(EvaluationError) in
            var best = try numbers[0].integer(context)
            for number in numbers.dropFirst() {
                let next = try number.integer(context)
                best = isMinimum ? Swift.min(best, next) : Swift.max(best, next)
            }
            return .int(best)
        }
    }

    /// Compiles `count(X)`: the number of entries of a set or tally, or of characters of a text.
    private mutating func count(_ tree: Expression) throws(ExpressionError) -> CompiledExpression {
        if let table = table(tree) {
            return CompiledExpression(.int(table.rows.count), .integer)
        }
        let collection = try compile(tree)
        guard
            collection.type.isCollection || collection.type == .emptyCollection
                || collection.type.isText || collection.type.isOrder
        else {
            throw ExpressionError(
                offset: tree.offset,
                why:
                    "expected a set, a checklist, a tally, a table or a text, but this is \(collection.type.name)"
            )
        }
        return CompiledExpression(.integer) { context throws(EvaluationError) in
            .int(ValueOperation.count(try collection.evaluate(context)))
        }
    }

    /// Compiles `add(TALLY, KEY, N)`: the tally in which the integer of the key is increased by N.
    private mutating func add(_ arguments: [Expression]) throws(ExpressionError)
        -> CompiledExpression
    {
        let tally = try compile(arguments[0], as: .tally)
        let key = try text(arguments[1])
        recordName(key, in: arguments[0])
        let amount = try compile(arguments[2], as: .integer)
        return CompiledExpression(.tally) { context throws(EvaluationError) in
            try ValueOperation.addingPoints(
                try amount.integer(context), to: try key.evaluate(context),
                in: try tally.evaluate(context))
        }
    }

    /// Records that `add` gives the name `key` to the tally `tally`: to each datum that this expression names.
    private mutating func recordName(_ key: CompiledExpression, in tally: Expression) {
        let isDeclared = if case .oneOf = key.type { true } else { false }
        for name in tally.dataNames {
            namesInTallies[name, default: true] = isDeclared && namesInTallies[name, default: true]
        }
    }

    /// Compiles `given(X, Y)`: X, or Y if X is null.
    private mutating func given(_ arguments: [Expression]) throws(ExpressionError)
        -> CompiledExpression
    {
        let (value, fallback) = (try compile(arguments[0]), try compile(arguments[1]))
        guard value.type.isOptional else {
            throw ExpressionError(
                offset: arguments[0].offset,
                why: "\(value.type.name) is never null, so given is not needed")
        }
        let valueType = value.type == .null ? fallback.type : value.type.unwrapped
        guard let type = valueType.commonType(with: fallback.type) else {
            throw ExpressionError(
                offset: arguments[1].offset,
                why: "expected \(valueType.name), but this is \(fallback.type.name)")
        }
        let convertedFallback = fallback.converted(to: type)
        return CompiledExpression(type) { context throws(EvaluationError) in
            let value = try value.evaluate(context)
            return value == .null ? try convertedFallback.evaluate(context) : value
        }
    }

    // MARK: compared values

    /// Adds a comparison of `a` with `b` to `comparisons`, if the operands have these forms. One operand consists only of the
    /// name of an argument, a datum or a setting. The second operand is a constant that is not null, or consists only of the
    /// name of a setting.
    mutating func recordComparison(_ a: CompiledExpression, _ b: CompiledExpression) {
        for (compared, operand) in [(a, b), (b, a)] {
            guard let slot = compared.slot else { continue }
            if !operand.columnValues.isEmpty {
                recordValues(operand.columnValues, comparedWith: slot)
            } else if let value = operand.constant, value != .null {
                comparisons.append(Comparison(slot: slot, operand: .value(value)))
            } else if case .setting(let index)? = operand.slot {
                comparisons.append(Comparison(slot: slot, operand: .setting(index)))
                // The numbers next to a setting are no samples.
                guard compared.type.unwrapped.isText else { continue }
            } else {
                continue
            }
            if case .argument(let index) = slot { reads.addComparison(ofArgument: index) }
        }
    }
}
