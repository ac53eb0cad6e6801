import TestSupport

/// A second implementation of the expressions of flow files: a syntax tree. The tests compare the compiler with this
/// implementation. They generate a tree at random from a seed, and write it as a text for the compiler. They also evaluate the
/// tree, with a dictionary that has the value of each name.
indirect enum ReferenceExpression {
    enum Kind: CaseIterable { case integer, duration, boolean, text, set, tally }

    enum Value: Equatable {
        case number(Int)
        case truth(Bool)
        case text(String)
        case set([String])
        case null
        case tally([String], [Int])
    }

    /// A literal: its value and its text.
    case literal(Value, String)
    case name(String)
    /// `-` or `not`, and its operand.
    case prefix(String, ReferenceExpression)
    /// An operator with its precedence and its operands. The precedences, from the weakest to the strongest: 0 is `if`; 1 is
    /// `or`; 2 is `and`; 3 is `not`; 4 is a comparison or `in`; 5 is `+` and `-`; 6 is `*`, `/` and `%`; 7 is the sign `-`; 9
    /// is everything without an operator.
    case infix(String, Int, ReferenceExpression, ReferenceExpression)
    /// `a in low..high`: the three operands in this order.
    case range(ReferenceExpression, ReferenceExpression, ReferenceExpression)
    /// `a if condition else b`: the three operands in this order.
    case choice(ReferenceExpression, ReferenceExpression, ReferenceExpression)
    case call(String, [ReferenceExpression])

    /// Thrown for an expression without a value, such as a division by zero.
    struct NoResult: Error {}

    // MARK: text

    /// The text, with parentheses only where the precedence of the operators needs them.
    var text: String { operandText(0) }

    /// The text as an operand: in parentheses if its precedence is below `precedence`.
    private func operandText(_ precedence: Int) -> String {
        let (text, ownPrecedence): (String, Int)
        switch self {
        case .literal(_, let literal): (text, ownPrecedence) = (literal, 9)
        case .name(let name): (text, ownPrecedence) = (name, 9)
        case .prefix("-", let operand): (text, ownPrecedence) = ("-\(operand.operandText(7))", 7)
        case .prefix(let word, let operand):
            (text, ownPrecedence) = ("\(word) \(operand.operandText(3))", 3)
        case .infix(let sign, let infixPrecedence, let a, let b):
            // A comparison as an operand of a comparison needs parentheses. All other operators group to the left.
            let isComparison = infixPrecedence == 4
            (text, ownPrecedence) = (
                "\(a.operandText(isComparison ? 5 : infixPrecedence)) \(sign) "
                    + b.operandText(infixPrecedence + 1),
                infixPrecedence
            )
        case .range(let a, let low, let high):
            (text, ownPrecedence) = (
                "\(a.operandText(5)) in \(low.operandText(5))..\(high.operandText(5))", 4
            )
        case .choice(let a, let condition, let b):
            (text, ownPrecedence) = (
                "\(a.operandText(1)) if \(condition.operandText(1)) else \(b.operandText(0))", 0
            )
        case .call(let name, let arguments):
            (text, ownPrecedence) = (
                "\(name)(\(arguments.map { $0.operandText(0) }.joined(separator: ", ")))", 9
            )
        }
        return ownPrecedence < precedence ? "(\(text))" : text
    }

    // MARK: evaluation

    /// The value of the expression. `names` has the value of each name in `declarations`.
    func value(_ names: [String: Value]) throws -> Value {
        switch self {
        case .literal(let value, _): return value
        case .name(let name): return names[name]!
        case .prefix("-", let operand): return .number(-(try operand.number(names)))
        case .prefix(_, let operand): return .truth(!(try operand.truth(names)))
        case .infix("and", _, let a, let b): return .truth(try a.truth(names) && b.truth(names))
        case .infix("or", _, let a, let b): return .truth(try a.truth(names) || b.truth(names))
        case .infix(let sign, _, let a, let b):
            return try Self.apply(sign, try a.value(names), try b.value(names))
        case .range(let a, let low, let high):
            let (value, from, to) = (
                try a.number(names), try low.number(names), try high.number(names)
            )
            return .truth(value >= from && value <= to)
        case .choice(let a, let condition, let b):
            return try condition.truth(names) ? try a.value(names) : try b.value(names)
        case .call("given", let arguments):
            let value = try arguments[0].value(names)
            return value == .null ? try arguments[1].value(names) : value
        case .call(let name, let arguments):
            return try Self.call(name, arguments.map { try $0.value(names) })
        }
    }

    private func number(_ names: [String: Value]) throws -> Int {
        guard case .number(let number) = try value(names) else { fatalError("not a number") }
        return number
    }

    private func truth(_ names: [String: Value]) throws -> Bool {
        guard case .truth(let truth) = try value(names) else { fatalError("not a truth value") }
        return truth
    }

    /// The number as a value; throws if it is not within the integers of flow files, whose magnitude is below 2^53.
    private static func checked(_ number: Int128) throws -> Value {
        guard number.magnitude < 1 << 53 else { throw NoResult() }
        return .number(Int(number))
    }

    private static func apply(_ sign: String, _ a: Value, _ b: Value) throws -> Value {
        switch (sign, a, b) {
        case ("+", .number(let a), .number(let b)): return try checked(Int128(a) + Int128(b))
        case ("-", .number(let a), .number(let b)): return try checked(Int128(a) - Int128(b))
        case ("*", .number(let a), .number(let b)): return try checked(Int128(a) * Int128(b))
        case ("/", .number, .number(0)), ("%", .number, .number(0)): throw NoResult()
        case ("/", .number(let a), .number(let b)): return try checked(Int128(a) / Int128(b))
        case ("%", .number(let a), .number(let b)): return try checked(Int128(a) % Int128(b))
        case ("<", .number(let a), .number(let b)): return .truth(a < b)
        case ("<=", .number(let a), .number(let b)): return .truth(a <= b)
        case (">", .number(let a), .number(let b)): return .truth(a > b)
        case (">=", .number(let a), .number(let b)): return .truth(a >= b)
        case ("==", _, _): return .truth(a == b)
        case ("!=", _, _): return .truth(a != b)
        case ("+", .text(let a), .text(let b)):
            guard (a + b).unicodeScalars.count <= 1000 else { throw NoResult() }
            return .text(a + b)
        case ("+", .set(let a), .text(let b)): return .set(a.contains(b) ? a : a + [b])
        case ("-", .set(let a), .text(let b)): return .set(a.filter { $0 != b })
        case ("-", .tally(let keys, let points), .text(let b)):
            let kept = keys.indices.filter { keys[$0] != b }
            return .tally(kept.map { keys[$0] }, kept.map { points[$0] })
        case ("in", .text(let a), .set(let b)): return .truth(b.contains(a))
        case ("in", .text(let a), .tally(let keys, _)): return .truth(keys.contains(a))
        default: fatalError("\(a) \(sign) \(b)")
        }
    }

    private static func call(_ name: String, _ arguments: [Value]) throws -> Value {
        // The arguments that are numbers.
        let numbers = arguments.compactMap { value -> Int? in
            if case .number(let number) = value { number } else { nil }
        }
        switch (name, arguments[0]) {
        case ("min", _): return .number(numbers.min()!)
        case ("max", _): return .number(numbers.max()!)
        case ("abs", _): return .number(abs(numbers[0]))
        case ("count", .set(let set)): return .number(set.count)
        case ("count", .tally(let keys, _)): return .number(keys.count)
        case ("count", .text(let text)): return .number(text.unicodeScalars.count)
        case ("points", .tally(let keys, let points)):
            guard case .text(let key) = arguments[1] else { fatalError() }
            return .number(keys.firstIndex(of: key).map { points[$0] } ?? 0)
        case ("leaders", .tally(let keys, let points)):
            return .set(zip(keys, points).filter { $0.1 == points.max() }.map(\.0))
        case ("top", .tally(_, let points)): return .number(points.max() ?? 0)
        case ("rank", .tally(let keys, let points)):
            guard case .text(let key) = arguments[1] else { fatalError() }
            guard let index = keys.firstIndex(of: key) else { return .number(0) }
            return .number(points.count { $0 > points[index] } + 1)
        case ("text", .truth(let truth)): return .text("\(truth)")
        case ("add", .tally(var keys, var points)):
            guard case .text(let key) = arguments[1] else { fatalError() }
            guard let index = keys.firstIndex(of: key) else {
                keys.append(key)
                points.append(numbers[0])
                return .tally(keys, points)
            }
            guard case .number(let sum) = try checked(Int128(points[index]) + Int128(numbers[0]))
            else { fatalError() }
            points[index] = sum
            return .tally(keys, points)
        default: fatalError(name)
        }
    }
}

// MARK: random expressions

extension ReferenceExpression {
    /// The names that a random expression uses, with their types as a file declares them. The kind of `o` is nil, because only
    /// the function `given` takes a value that may be null.
    static let declarations: [(name: String, kind: Kind?, type: String)] = [
        ("n", .integer, "integer"), ("m", .integer, "integer"), ("d", .duration, "duration"),
        ("e", .duration, "duration"), ("t", .text, "text"), ("u", .text, "text"),
        ("b", .boolean, "boolean"), ("s", .set, "set"), ("y", .tally, "tally"),
        ("o", nil, "optional integer"),
    ]

    /// Returns a random expression of a kind, with at most `depth` levels of operators and calls.
    static func random(_ kind: Kind, depth: Int, _ random: inout SeededRandom)
        -> ReferenceExpression
    {
        if depth == 0 || random.below(6) == 0 { return leaf(kind, &random) }
        func operand(_ kind: Kind) -> ReferenceExpression {
            self.random(kind, depth: depth - 1, &random)
        }
        if random.below(8) == 0 { return .choice(operand(kind), operand(.boolean), operand(kind)) }
        switch kind {
        case .integer: return integer(depth, &random)
        case .duration: return duration(depth, &random)
        case .boolean: return boolean(depth, &random)
        case .text:
            return random.below(4) == 0
                ? .call("text", [operand(.boolean)])
                : .infix("+", 5, operand(.text), operand(.text))
        case .set where random.below(3) == 0: return .call("leaders", [operand(.tally)])
        case .set: return .infix(random.pick(["+", "-"]), 5, operand(.set), operand(.text))
        case .tally where random.below(3) == 0:
            return .infix("-", 5, operand(.tally), operand(.text))
        case .tally: return .call("add", [operand(.tally), operand(.text), operand(.integer)])
        }
    }

    private static func leaf(_ kind: Kind, _ random: inout SeededRandom) -> ReferenceExpression {
        let names = declarations.filter { $0.kind == kind }.map(\.name)
        if random.below(2) == 0 { return .name(random.pick(names)) }
        switch kind {
        case .integer:
            let number = random.pick([0, 1, 2, 3, 10, 1000, 9_007_199_254_740_991])
            return .literal(.number(number), "\(number)")
        case .duration:
            let (milliseconds, text) = random.pick([
                (0, "0s"), (1500, "1s500ms"), (5_400_000, "1h30m"),
            ])
            return .literal(.number(milliseconds), text)
        case .boolean:
            return random.below(2) == 0
                ? .literal(.truth(true), "true") : .literal(.truth(false), "false")
        case .text:
            let (value, text) = random.pick([
                ("", "''"), ("x", "'x'"), ("it's", "'it''s'"), ("é", "'é'"),
            ])
            return .literal(.text(value), text)
        case .set: return .name("s")
        case .tally: return .name("y")
        }
    }

    private static func integer(_ depth: Int, _ random: inout SeededRandom) -> ReferenceExpression {
        func operand(_ kind: Kind) -> ReferenceExpression {
            self.random(kind, depth: depth - 1, &random)
        }
        switch random.below(12) {
        case 10: return .call("top", [operand(.tally)])
        case 11: return .call("rank", [operand(.tally), operand(.text)])
        case 0: return .prefix("-", operand(.integer))
        case 1: return .call(random.pick(["min", "max"]), [operand(.integer), operand(.integer)])
        case 2: return .call("abs", [operand(.integer)])
        case 3: return .call("count", [operand(random.pick([.set, .tally, .text]))])
        case 4: return .call("points", [operand(.tally), operand(.text)])
        case 5: return .infix("/", 6, operand(.duration), operand(.duration))
        case 6: return .call("given", [.name("o"), operand(.integer)])
        case 7: return .infix(random.pick(["+", "-"]), 5, operand(.integer), operand(.integer))
        default:
            let sign = random.pick(["*", "/", "%"])
            return .infix(sign, 6, operand(.integer), operand(.integer))
        }
    }

    private static func duration(_ depth: Int, _ random: inout SeededRandom) -> ReferenceExpression
    {
        func operand(_ kind: Kind) -> ReferenceExpression {
            self.random(kind, depth: depth - 1, &random)
        }
        switch random.below(5) {
        case 0: return .infix("*", 6, operand(.duration), operand(.integer))
        case 1: return .infix("*", 6, operand(.integer), operand(.duration))
        case 2: return .infix("/", 6, operand(.duration), operand(.integer))
        case 3: return .prefix("-", operand(.duration))
        default: return .infix(random.pick(["+", "-"]), 5, operand(.duration), operand(.duration))
        }
    }

    private static func boolean(_ depth: Int, _ random: inout SeededRandom) -> ReferenceExpression {
        func operand(_ kind: Kind) -> ReferenceExpression {
            self.random(kind, depth: depth - 1, &random)
        }
        let numericKind = random.pick([Kind.integer, .duration])
        let anyKind = random.pick(Kind.allCases)
        switch random.below(7) {
        case 0: return .prefix("not", operand(.boolean))
        case 1: return .infix("and", 2, operand(.boolean), operand(.boolean))
        case 2: return .infix("or", 1, operand(.boolean), operand(.boolean))
        case 3:
            let sign = random.pick(["<", "<=", ">", ">="])
            return .infix(sign, 4, operand(numericKind), operand(numericKind))
        case 4: return .infix(random.pick(["==", "!="]), 4, operand(anyKind), operand(anyKind))
        case 5: return .range(operand(numericKind), operand(numericKind), operand(numericKind))
        default: return .infix("in", 4, operand(.text), operand(random.pick([.set, .tally])))
        }
    }
}
