internal import GameFlow
internal import Support

/// The error of an expression at run time, such as a division by zero. An event that needs the value is then refused, and an
/// invariant counts as broken.
struct EvaluationError: DescribedError, Equatable {
    let why: String
}

/// An expression with its type, compiled to slots and closures. A slot is the index of an argument, a datum or a setting, so
/// that evaluating the expression looks up no name.
///
/// It is a class, so that reading an expression from the rows of a flow copies only a reference.
final class CompiledExpression {
    /// Computes the value of an expression.
    typealias Function = (EvaluationContext) throws(EvaluationError) -> Value

    /// How the value is computed. The commonest forms have cases of their own, because calling a closure costs more than
    /// reading a constant or a slot.
    private enum Form {
        case constant(Value)
        case slot(ExpressionScope.Slot)
        case function(Function)
        /// A function that draws random values.
        case drawing(Function)
    }

    let type: DataType
    private let form: Form
    /// What the expression reads, if it is not only a constant or a name. The `FlowFileChecker` sets this.
    private var readsOfFunction = ExpressionReads()

    /// Creates an expression with a constant value.
    init(_ value: Value, _ type: DataType) { (form, self.type) = (.constant(value), type) }
    /// Creates an expression that is only the name of an argument, a datum or a setting.
    init(_ slot: ExpressionScope.Slot, _ type: DataType) { (form, self.type) = (.slot(slot), type) }
    /// Creates an expression that `function` computes.
    init(_ type: DataType, _ function: @escaping Function) {
        (form, self.type) = (.function(function), type)
    }

    /// The value, if the expression was compiled to a constant; otherwise nil.
    var constant: Value? {
        guard case .constant(let value) = form else { return nil }
        return value
    }

    /// The slot, if the expression is only the name of an argument, a datum or a setting; otherwise nil.
    var slot: ExpressionScope.Slot? {
        guard case .slot(let slot) = form else { return nil }
        return slot
    }

    /// What the expression reads.
    var reads: ExpressionReads {
        guard let slot else { return readsOfFunction }
        var reads = ExpressionReads()
        reads.add(slot)
        return reads
    }

    /// The values of the table's column that the expression reads; empty for any other expression.
    private(set) var columnValues: [Value] = []

    /// Records that the expression reads a column with these values; returns the expression.
    func readingColumn(_ values: [Value]) -> CompiledExpression {
        columnValues = values
        return self
    }

    /// Records what the expression reads; returns the expression.
    func reading(_ reads: ExpressionReads) -> CompiledExpression {
        readsOfFunction = reads
        return self
    }

    func evaluate(_ context: EvaluationContext) throws(EvaluationError) -> Value {
        switch form {
        case .constant(let value): value
        case .slot(.argument(let index)): context.arguments[index]
        case .slot(.datum(let index)): context.data[index]
        case .slot(.setting(let index)): context.settings[index]
        case .function(let function): try function(context)
        case .drawing(let function):
            if let value = try context.draws?.value(of: self) {
                value
            } else {
                try function(context)
            }
        }
    }

    /// The same expression, marked as one that draws random values.
    var drawing: CompiledExpression {
        guard case .function(let function) = form else { return self }
        return CompiledExpression(type: type, form: .drawing(function))
    }

    /// Evaluates a condition. The `ExpressionCompiler` has checked that the expression is a boolean.
    func isTrue(_ context: EvaluationContext) throws(EvaluationError) -> Bool {
        guard case .bool(let truth) = try evaluate(context) else { return false }
        return truth
    }

    /// Evaluates an integer or a duration, and returns a duration in milliseconds. The `ExpressionCompiler` has checked the
    /// type.
    func integer(_ context: EvaluationContext) throws(EvaluationError) -> Int {
        guard case .int(let number) = try evaluate(context) else { return 0 }
        return number
    }

    /// Returns the expression with the type `type` in place of its own type, which must fit `type`. The literal `none` has an
    /// empty set as its value; if `type` is a tally, the value becomes an empty tally.
    func converted(to type: DataType) -> CompiledExpression {
        guard self.type == .emptyCollection, type.unwrapped == .tally else {
            return CompiledExpression(type: type, form: form)
        }
        return CompiledExpression(.object([]), type)
    }

    private init(type: DataType, form: Form) { (self.type, self.form) = (type, form) }
}
