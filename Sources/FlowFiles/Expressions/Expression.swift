internal import GameFlow
internal import Support

/// The syntax tree of an expression. The compiler gives it types.
struct Expression {
    let kind: Kind
    /// The number of characters before the expression or, if an operator joins two operands, before the operator. It gives
    /// the position of a finding.
    let offset: Int

    indirect enum Kind {
        case literal(Value, DataType)
        case name(String)
        /// `settings.time`, `state.used` or `event.digits`.
        case member(of: String, String)
        case negated(Expression)
        case not(Expression)
        case binary(BinaryOperator, Expression, Expression)
        /// `X in LOW..HIGH`.
        case inRange(Expression, Expression, Expression)
        case conditional(then: Expression, if: Expression, else: Expression)
        case call(String, [Expression])
    }
}

/// The operators with two operands. An operator with a higher `power` binds more tightly.
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

    var power: Int {
        switch self {
        case .or: 1
        case .and: 2
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .in: 4
        case .plus, .minus: 5
        case .times, .dividedBy, .remainder: 6
        }
    }

    /// The power of `not`, which binds less tightly than a comparison.
    static let powerOfNot = 3
    /// The power of the sign `-`.
    static let powerOfSign = 7

    var isComparison: Bool { power == 4 }
}

/// The error of an expression: what is wrong, and how many characters are before that place.
struct ExpressionError: DescribedError, Equatable {
    let offset: Int
    let why: String
}

extension Expression {
    /// The distinct names of data in the expression: those that stand alone, and those after `state`.
    var dataNames: [String] {
        var names: [String] = []
        collect(&names)
        return names.uniqued
    }

    private func collect(_ names: inout [String]) {
        switch kind {
        case .literal: break
        case .name(let name): names.append(name)
        case .member(let owner, let name): if owner == "state" { names.append(name) }
        case .negated(let operand), .not(let operand): operand.collect(&names)
        case .binary(_, let a, let b):
            a.collect(&names)
            b.collect(&names)
        case .inRange(let a, let b, let c), .conditional(let a, let b, let c):
            for part in [a, b, c] { part.collect(&names) }
        case .call(_, let arguments):
            for argument in arguments { argument.collect(&names) }
        }
    }
}
