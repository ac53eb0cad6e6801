internal import GameFlow

/// Parses an expression by operator precedence (Pratt's method).
struct ExpressionParser {
    private let tokens: [ExpressionLexer.Token]
    private var index = 0
    /// The number of calls of `nested` that are running.
    private var level = 0

    /// Returns the tree of an expression. The depth of the tree is limited, so that neither the parser nor a function that
    /// walks the tree can exhaust the stack.
    static func parse(_ text: String) throws(ExpressionError) -> Expression {
        guard text.unicodeScalars.count <= FlowFileLimit.expressionLength.maximum else {
            throw ExpressionError(offset: 0, why: FlowFileLimit.expressionLength.sentence)
        }
        var parser = ExpressionParser(tokens: try ExpressionLexer.tokens(text))
        let expression = try parser.expression()
        guard parser.current.kind == .end else { throw parser.unexpected("an operator") }
        return expression
    }

    private init(tokens: [ExpressionLexer.Token]) { self.tokens = tokens }

    private var current: ExpressionLexer.Token { tokens[index] }

    // MARK: levels

    /// Parses a whole expression: `A if C else B`, or an operand.
    private mutating func expression() throws(ExpressionError) -> Expression {
        try nested { (parser) throws(ExpressionError) in
            let then = try parser.operand(0)
            guard parser.takes(word: "if") else { return then }
            let condition = try parser.operand(0)
            guard parser.takes(word: "else") else { throw parser.unexpected("else") }
            let otherwise = try parser.expression()
            return Expression(
                kind: .conditional(then: then, if: condition, else: otherwise),
                offset: then.offset)
        }
    }

    /// Parses an operand and the operators after it whose precedence is at least `precedence`, with their operands.
    private mutating func operand(_ precedence: Int) throws(ExpressionError) -> Expression {
        var left = try prefix()
        while let operation = binaryOperator, operation.precedence >= precedence {
            let offset = current.offset
            index += 1
            if operation == .in {
                left = try membership(of: left, offset)
            } else {
                let right = try nested { (parser) throws(ExpressionError) in
                    try parser.operand(operation.precedence + 1)
                }
                left = Expression(kind: .binary(operation, left, right), offset: offset)
            }
            if operation.isComparison, let next = binaryOperator, next.isComparison {
                throw ExpressionError(
                    offset: current.offset,
                    why: "comparisons do not follow one another; join them with and")
            }
        }
        return left
    }

    /// The operator at the current token; nil if the token is not an operator with two operands.
    private var binaryOperator: BinaryOperator? {
        switch current.kind {
        case .symbol(let symbol): BinaryOperator(rawValue: symbol)
        case .word(let word) where ["or", "and", "in"].contains(word):
            BinaryOperator(rawValue: word)
        default: nil
        }
    }

    /// Parses what follows `in`: a range, a set or a tally.
    private mutating func membership(of element: Expression, _ offset: Int) throws(ExpressionError)
        -> Expression
    {
        let low = try nested { (parser) throws(ExpressionError) in
            try parser.operand(BinaryOperator.plus.precedence)
        }
        guard takes("..") else {
            // Without a range, the operand is the set or the tally.
            return Expression(kind: .binary(.in, element, low), offset: offset)
        }
        let high = try nested { (parser) throws(ExpressionError) in
            try parser.operand(BinaryOperator.plus.precedence)
        }
        return Expression(kind: .inRange(element, low, high), offset: offset)
    }

    /// Parses an operand with a `not` or `-` before it, an expression in parentheses, or an operand without any of these.
    private mutating func prefix() throws(ExpressionError) -> Expression {
        let token = current
        if takes(word: "not") {
            let operand = try nested { (parser) throws(ExpressionError) in
                try parser.operand(BinaryOperator.precedenceOfNot)
            }
            return Expression(kind: .not(operand), offset: token.offset)
        }
        if takes("-") {
            let operand = try nested { (parser) throws(ExpressionError) in
                try parser.operand(BinaryOperator.precedenceOfSign)
            }
            return Expression(kind: .negated(operand), offset: token.offset)
        }
        if takes("(") {
            let inner = try expression()
            guard takes(")") else { throw unexpected("a closing parenthesis") }
            return inner
        }
        return try primary()
    }

    /// Parses a literal, or a name with what follows it.
    private mutating func primary() throws(ExpressionError) -> Expression {
        let token = current
        let kind: Expression.Kind
        switch token.kind {
        case .integer(let number): kind = .literal(.int(number), .integer)
        case .duration(let milliseconds): kind = .literal(.int(milliseconds), .duration)
        case .text(let text): kind = .literal(.string(text), .oneOf([text]))
        case .word("true"): kind = .literal(.bool(true), .boolean)
        case .word("false"): kind = .literal(.bool(false), .boolean)
        case .word("null"): kind = .literal(.null, .null)
        case .word("none"): kind = .literal(.array([]), .none)
        case .word(let word) where !Self.keywords.contains(word):
            index += 1
            return Expression(kind: try reference(word), offset: token.offset)
        default: throw unexpected("a value")
        }
        index += 1
        return Expression(kind: kind, offset: token.offset)
    }

    private static let keywords: Set<String> = ["if", "else", "and", "or", "not", "in"]

    /// Returns the expression for a name that was just read. Parses what may follow it: a dot with another name, or arguments.
    private mutating func reference(_ name: String) throws(ExpressionError) -> Expression.Kind {
        if takes(".") {
            guard case .word(let member) = current.kind else { throw unexpected("a name") }
            index += 1
            return .member(of: name, member)
        }
        guard takes("(") else { return .name(name) }
        var arguments: [Expression] = []
        if takes(")") { return .call(name, arguments) }
        repeat { arguments.append(try expression()) } while takes(",")
        guard takes(")") else { throw unexpected("a comma or a closing parenthesis") }
        return .call(name, arguments)
    }

    // MARK: tokens

    /// Calls `parse` one level deeper; throws if that level is too deep.
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

    /// Moves past the current token if it is this symbol. Returns whether it was.
    private mutating func takes(_ symbol: String) -> Bool { takes(.symbol(symbol)) }
    private mutating func takes(word: String) -> Bool { takes(.word(word)) }

    private mutating func takes(_ kind: ExpressionLexer.Token.Kind) -> Bool {
        guard current.kind == kind else { return false }
        index += 1
        return true
    }

    private func unexpected(_ expected: String) -> ExpressionError {
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
