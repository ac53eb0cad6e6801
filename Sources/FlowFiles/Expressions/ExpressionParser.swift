internal import GameFlow

/// Parses the text of an expression of a flow file into a tree, by operator precedence (Pratt's method). The
/// `ExpressionCompiler` and the `FlowFileChecker` call it.
struct ExpressionParser {
    private let tokens: [ExpressionLexer.Token]
    /// The index of the current token: the first token that has not been parsed.
    private var index = 0
    /// The number of calls of `nested` that are running.
    private var level = 0

    /// Returns the tree of an expression. The depth of the tree is limited. So neither the parser nor a function that walks the
    /// tree can exhaust the stack.
    static func parse(_ text: String) throws(ExpressionError) -> Expression {
        guard text.unicodeScalars.count <= FlowFileLimit.expressionLength.maximum else {
            throw ExpressionError(offset: 0, why: FlowFileLimit.expressionLength.sentence)
        }
        var parser = ExpressionParser(tokens: try ExpressionLexer.tokens(text))
        let expression = try parser.expression()
        guard parser.current.kind == .end else { throw parser.error(expecting: "an operator") }
        return expression
    }

    private init(tokens: [ExpressionLexer.Token]) { self.tokens = tokens }

    private var current: ExpressionLexer.Token { tokens[index] }

    // MARK: grammar

    /// Parses a whole expression: `A if C else B`, or an operation.
    private mutating func expression() throws(ExpressionError) -> Expression {
        try nested { (parser) throws(ExpressionError) in
            let then = try parser.operation(Self.lowestPrecedence)
            guard parser.accept(word: "if") else { return then }
            let condition = try parser.operation(Self.lowestPrecedence)
            guard parser.accept(word: "else") else { throw parser.error(expecting: "else") }
            let otherwise = try parser.expression()
            return Expression(
                kind: .conditional(then: then, if: condition, else: otherwise),
                offset: then.offset)
        }
    }

    /// The precedence with which `operation` parses all operators.
    private static let lowestPrecedence = BinaryOperator.or.precedence

    /// Parses one operand, or operands joined by operators whose precedence is at least `minimumPrecedence`.
    private mutating func operation(_ minimumPrecedence: Int) throws(ExpressionError) -> Expression
    {
        var left = try operand()
        while let operation = currentOperator, operation.precedence >= minimumPrecedence {
            let offset = current.offset
            index += 1
            if operation == .in {
                left = try membership(of: left, offset)
            } else {
                // An operator of the same precedence belongs to the next turn of the loop: `a - b - c` is `(a - b) - c`.
                let right = try nested { (parser) throws(ExpressionError) in
                    try parser.operation(operation.precedence + 1)
                }
                left = Expression(kind: .binary(operation, left, right), offset: offset)
            }
            if operation.isComparison, let next = currentOperator, next.isComparison {
                throw ExpressionError(
                    offset: current.offset,
                    why: "comparisons do not follow one another; join them with and")
            }
        }
        return left
    }

    /// The operator at the current token; nil if the token is not an operator with two operands.
    private var currentOperator: BinaryOperator? {
        switch current.kind {
        case .symbol(let symbol): BinaryOperator(rawValue: symbol)
        case .word(let word) where ["or", "and", "in"].contains(word):
            BinaryOperator(rawValue: word)
        default: nil
        }
    }

    /// Parses what follows `in`: a range, a set or a tally. `element` is the operand before `in`, and `offset` is the offset of
    /// `in`. Returns the expression that consists of `in` and its operands.
    private mutating func membership(of element: Expression, _ offset: Int) throws(ExpressionError)
        -> Expression
    {
        let lowOrCollection = try nested { (parser) throws(ExpressionError) in
            try parser.operation(BinaryOperator.plus.precedence)
        }
        guard accept("..") else {
            // Without `..`, what was parsed is a set or a tally.
            return Expression(kind: .binary(.in, element, lowOrCollection), offset: offset)
        }
        let high = try nested { (parser) throws(ExpressionError) in
            try parser.operation(BinaryOperator.plus.precedence)
        }
        return Expression(kind: .inRange(element, lowOrCollection, high), offset: offset)
    }

    /// Parses one operand: `not X`, `-X`, an expression in parentheses, a literal, or what begins with a name.
    private mutating func operand() throws(ExpressionError) -> Expression {
        let token = current
        if accept(word: "not") {
            let operand = try nested { (parser) throws(ExpressionError) in
                try parser.operation(BinaryOperator.precedenceOfNot)
            }
            return Expression(kind: .not(operand), offset: token.offset)
        }
        if accept("-") {
            let operand = try nested { (parser) throws(ExpressionError) in
                try parser.operation(BinaryOperator.precedenceOfSign)
            }
            return Expression(kind: .negated(operand), offset: token.offset)
        }
        if accept("(") {
            let inner = try expression()
            guard accept(")") else { throw error(expecting: "a closing parenthesis") }
            return inner
        }
        return try primary()
    }

    /// Parses a literal, or a name and its member or arguments: `NAME`, `NAME.MEMBER` or `NAME(A, B)`.
    private mutating func primary() throws(ExpressionError) -> Expression {
        let token = current
        let kind: Expression.Kind
        switch token.kind {
        case .integer(let number): kind = .literal(.int(number), .integer)
        case .duration(let milliseconds): kind = .literal(.int(milliseconds), .duration)
        // The type of a literal text is a `one of` with this text alone, which fits every `one of` that contains the text.
        case .text(let text): kind = .literal(.string(text), .oneOf([text]))
        case .word("true"): kind = .literal(.bool(true), .boolean)
        case .word("false"): kind = .literal(.bool(false), .boolean)
        case .word("null"): kind = .literal(.null, .null)
        case .word("none"): kind = .literal(.array([]), .emptyCollection)
        case .word(let word) where !Self.keywords.contains(word):
            index += 1
            return try row(of: Expression(kind: try reference(word), offset: token.offset))
        default: throw error(expecting: "a value")
        }
        index += 1
        return Expression(kind: kind, offset: token.offset)
    }

    /// Parses an argument of a function: an expression, or a range.
    private mutating func argument() throws(ExpressionError) -> Expression {
        let first = try expression()
        guard accept("..") else { return first }
        return Expression(kind: .range(first, try expression()), offset: first.offset)
    }

    /// Parses what may follow the name of a table or an order: `[N]`, and after it `.COLUMN`. Returns `rows` if nothing follows.
    private mutating func row(of rows: Expression) throws(ExpressionError) -> Expression {
        guard accept("[") else { return rows }
        let number = try expression()
        guard accept("]") else { throw error(expecting: "a closing bracket") }
        var column: String?
        if accept(".") {
            guard case .word(let name) = current.kind else {
                throw error(expecting: "the name of a column")
            }
            index += 1
            column = name
        }
        return Expression(kind: .row(of: rows, number, column: column), offset: rows.offset)
    }

    /// The words of the grammar. None of them can be a name.
    private static let keywords: Set<String> = ["if", "else", "and", "or", "not", "in"]

    /// Returns the expression for the name `name`, which was the token before the current one. Parses what may follow the name:
    /// a dot with another name, or arguments in parentheses.
    private mutating func reference(_ name: String) throws(ExpressionError) -> Expression.Kind {
        if accept(".") {
            guard case .word(let member) = current.kind else { throw error(expecting: "a name") }
            index += 1
            return .member(of: name, member)
        }
        guard accept("(") else { return .name(name) }
        var arguments: [Expression] = []
        if accept(")") { return .call(name, arguments) }
        repeat { arguments.append(try argument()) } while accept(",")
        guard accept(")") else { throw error(expecting: "a comma or a closing parenthesis") }
        return .call(name, arguments)
    }

    // MARK: tokens

    /// Calls `parse` one level deeper; throws if there would be too many levels.
    private mutating func nested(
        _ parse: (inout ExpressionParser) throws(ExpressionError) -> Expression
    ) throws(ExpressionError) -> Expression {
        level += 1
        defer { level -= 1 }
        guard level <= FlowFileLimit.expressionLevels.maximum else {
            throw ExpressionError(
                offset: current.offset, why: FlowFileLimit.expressionLevels.sentence)
        }
        return try parse(&self)
    }

    /// Moves past the current token if it matches the argument: a symbol, a word, or a kind of token. Returns whether it
    /// matches.
    private mutating func accept(_ symbol: String) -> Bool { accept(.symbol(symbol)) }
    private mutating func accept(word: String) -> Bool { accept(.word(word)) }

    private mutating func accept(_ kind: ExpressionLexer.Token.Kind) -> Bool {
        guard current.kind == kind else { return false }
        index += 1
        return true
    }

    /// The error at the current token, which is not what the parser expects at this place.
    private func error(expecting expected: String) -> ExpressionError {
        let found =
            switch current.kind {
            case .end: "the end"
            case .word(let text), .symbol(let text): text
            case .integer(let number): "\(number)"
            case .duration: "a duration"
            case .text(let text): "'\(text)'"
            }
        return ExpressionError(offset: current.offset, why: "expected \(expected), not \(found)")
    }
}
