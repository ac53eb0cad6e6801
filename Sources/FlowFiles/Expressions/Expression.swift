internal import GameFlow
internal import Support
internal import Timers

/// The syntax tree of an expression, as the `ExpressionParser` makes it. The `ExpressionCompiler` checks its types and compiles
/// it.
struct Expression {
    let kind: Kind
    /// The number of characters before the expression or, if an operator joins two operands, before the operator. A finding
    /// about the expression has this position.
    let offset: Int

    indirect enum Kind {
        case literal(Value, DataType)
        case name(String)
        /// A name after its owner: `settings.time`, `state.used` or `event.digits`.
        case member(of: String, String)
        /// `-X`, for a number.
        case negated(Expression)
        /// `not X`, for a boolean.
        case not(Expression)
        case binary(BinaryOperator, Expression, Expression)
        /// `X in LOW..HIGH`: X, LOW and HIGH.
        case inRange(Expression, Expression, Expression)
        /// `A if C else B`.
        case conditional(then: Expression, if: Expression, else: Expression)
        /// The call of a function, by name, with its arguments.
        case call(String, [Expression])
        /// `TABLE[N].COLUMN` or `ORDER[N]`: the name before the bracket, what is in it, and the name after the dot.
        case row(of: Expression, Expression, column: String?)
        /// `LOW..HIGH`, the argument of `random`.
        case range(Expression, Expression)
    }
}

/// The operators with two operands.
enum BinaryOperator: String {
    case or, and
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case `in`
    case plus = "+"
    case minus = "-"
    case times = "*"
    case dividedBy = "/"
    case remainder = "%"

    /// An operator with a higher precedence binds more tightly.
    var precedence: Int {
        switch self {
        case .or: 1
        case .and: 2
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .in:
            Self.precedenceOfComparison
        case .plus, .minus: 5
        case .times, .dividedBy, .remainder: 6
        }
    }

    /// The precedence of `not`, which binds less tightly than a comparison and more tightly than `and`.
    static let precedenceOfNot = 3
    private static let precedenceOfComparison = 4
    /// The precedence of the sign `-`, which binds more tightly than every operator with two operands.
    static let precedenceOfSign = 7

    /// Whether the operator compares its operands, or is `in`.
    var isComparison: Bool { precedence == Self.precedenceOfComparison }
}

/// A mistake in the text of an expression.
struct ExpressionError: DescribedError, Equatable {
    /// The number of characters of the expression before the mistake.
    let offset: Int
    /// What is wrong, as a sentence.
    let why: String
    /// The name of an argument, a datum or a column that there is not; nil for any other mistake.
    var unknownName: String?
}

extension Expression {
    /// The distinct names in the expression that can be names of data: names that stand alone, and names after `state.`.
    var dataNames: [String] {
        var names: [String] = []
        collectDataNames(&names)
        return names.uniqued
    }

    /// Appends the names in this tree to `names`.
    private func collectDataNames(_ names: inout [String]) {
        switch kind {
        case .literal: break
        case .name(let name): names.append(name)
        case .member(let owner, let name): if owner == "state" { names.append(name) }
        case .negated(let operand), .not(let operand): operand.collectDataNames(&names)
        case .binary(_, let a, let b):
            a.collectDataNames(&names)
            b.collectDataNames(&names)
        case .inRange(let a, let b, let c), .conditional(let a, let b, let c):
            for part in [a, b, c] { part.collectDataNames(&names) }
        case .call(let name, let arguments):
            for (index, argument) in arguments.enumerated()
            where !(ExpressionFunction(rawValue: name) == .find && index == 1) {
                argument.collectDataNames(&names)  // not the name of a column
            }
        case .range(let low, let high):
            low.collectDataNames(&names)
            high.collectDataNames(&names)
        case .row(let rows, let number, _):
            rows.collectDataNames(&names)
            number.collectDataNames(&names)
        }
    }
}

extension Expression {
    /// The name of a countdown with overtime whose `left` may make the value negative; nil for any other expression.
    func overtimeCountdown(_ scope: ExpressionScope) -> String? {
        switch kind {
        case .call("left", let arguments):
            guard case .name(let name)? = arguments.first?.kind,
                scope.timers?.contains(where: { $0.name == name && $0.hasOvertime }) == true
            else { return nil }
            return name
        // The largest value is not negative if one of the values is not.
        case .call("max", let arguments):
            let countdowns = arguments.map { $0.overtimeCountdown(scope) }
            return countdowns.contains(nil) ? nil : countdowns.first ?? nil
        case .call("min", let arguments), .call("given", let arguments):
            return arguments.lazy.compactMap { $0.overtimeCountdown(scope) }.first
        case .negated(let operand): return operand.overtimeCountdown(scope)
        case .binary(let operation, let a, let b) where !operation.isComparison:
            return a.overtimeCountdown(scope) ?? b.overtimeCountdown(scope)
        case .conditional(let a, if: _, else: let b):
            return a.overtimeCountdown(scope) ?? b.overtimeCountdown(scope)
        default: return nil
        }
    }
}
