import GameFlow
import TestSupport
import Testing

@testable import FlowFiles

@Suite struct ExpressionTests {
    private static let scope = ExpressionScope(
        arguments: [.init(name: "n", type: .integer), .init(name: "word", type: .text)],
        data: [
            .init(name: "n", type: .text), .init(name: "used", type: .integer),
            .init(name: "left", type: .duration), .init(name: "solved", type: .set),
            .init(name: "points", type: .tally), .init(name: "who", type: .optional(.text)),
            .init(name: "door", type: .oneOf(["open", "shut"])),
        ],
        settings: [.init(name: "hints", type: .integer)], timers: [])

    /// Values for the names of `scope`, in its order. The duration `left` is in milliseconds.
    private let context = EvaluationContext(
        arguments: [.int(7), .string("go")],
        data: [
            .string("datum"), .int(2), .int(90_000), .array([.string("a")]),
            .object([Member("ann", 3)]), .null, .string("open"),
        ],
        settings: [.int(3)])

    /// Returns the value of an expression as text, or the mistake in it with its offset, or why it has no value.
    private func result(_ text: String) -> String {
        var compiler = ExpressionCompiler(Self.scope)
        let compiled: CompiledExpression
        do throws(ExpressionError) { compiled = try compiler.compile(text, as: nil) } catch {
            return "\(error.offset): \(error.why)"
        }
        do throws(EvaluationError) { return "\(try compiled.evaluate(context))" } catch {
            return error.why
        }
    }

    @Test(arguments: [
        ("1 + 2 * 3", "7"), ("(1 + 2) * 3", "9"), ("7 - 2 - 1", "4"), ("-7 / 2", "-3"),
        ("-7 % 2", "-1"), ("2 - -1", "3"), ("1h30m / 1m", "90"), ("left - 30s", "60000"),
        ("left * 2", "180000"), ("2 * left", "180000"), ("left / 2", "45000"),
        ("not true or true", "true"), ("not 1 == 2", "true"), ("true or 1 / 0 == 1", "true"),
        ("false and 1 / 0 == 1", "false"), ("1 if false else 2 if false else 3", "3"),
        ("n", "7"), ("event.n", "7"), ("state.n", "\"datum\""), ("settings.hints", "3"),
        ("n in 1..7", "true"), ("n in 8..9", "false"), ("left in 1m..2m", "true"),
        ("'a' in solved", "true"), ("'ann' in points", "true"), ("word in none", "false"),
        ("solved + 'b' + 'a' - 'a'", "[\"b\"]"), ("none + 'a'", "[\"a\"]"),
        ("solved == none", "false"), ("points == none", "false"), ("none == points", "false"),
        ("count(solved)", "1"), ("count(points)", "1"), ("count('é')", "1"),
        ("points(points, 'ann')", "3"), ("points(points, 'bob')", "0"),
        ("add(points, 'bob', 2)", "{\"ann\":3,\"bob\":2}"), ("add(none, 'a', 1)", "{\"a\":1}"),
        ("leaders(add(points, 'bob', 3))", "[\"ann\",\"bob\"]"), ("leaders(none)", "[]"),
        ("top(points)", "3"), ("top(none)", "0"), ("top(add(none, 'a', -2))", "-2"),
        ("rank(points, 'ann')", "1"), ("rank(points, 'bob')", "0"),
        ("rank(add(points, 'bob', 4), 'ann')", "2"), ("rank(add(points, 'bob', 3), 'bob')", "1"),
        ("text(7)", "\"7\""), ("text(-7)", "\"-7\""), ("text(1 < 2)", "\"true\""),
        ("text(left)", "\"1:30\""), ("text(1h)", "\"1:00:00\""), ("text(59m59s1ms)", "\"1:00:00\""),
        ("text(0s - 5s)", "\"−0:05\""), ("text(0s - 1ms)", "\"0:00\""),
        ("min(3, 1, 2)", "1"), ("max(1s, 2s)", "2000"), ("abs(-3)", "3"),
        ("given(who, 'x')", "\"x\""), ("who == null", "true"), ("who != 'x'", "true"),
        ("'it''s ' + word", "\"it\\'s go\""), ("door == 'open'", "true"),
        ("'é' == 'e\u{301}'", "false"), ("0s", "0"), ("true if true == true else false", "true"),
    ])
    func `an expression has the expected value`(_ text: String, _ value: String) {
        #expect(result(text) == value)
    }

    @Test(arguments: [
        ("", "0: expected a value, not the end"),
        ("1 +", "3: expected a value, not the end"),
        ("(1", "2: expected a closing parenthesis, not the end"),
        ("1 2", "2: expected an operator, not 2"),
        ("1 < 2 < 3", "6: comparisons do not follow one another; join them with and"),
        ("n = 7", "2: \"=\" does not belong here; compare with =="),
        ("n && n", "2: \"&\" does not belong here; write and"),
        ("\"x\"", "0: texts are in single quotes here: 'x'"),
        ("'x", "0: the text that begins here has no closing quote"),
        ("1x", "0: 1x is neither an integer nor a duration such as 90s or 1h30m"),
        ("9999d", "0: 9999d is neither an integer nor a duration of at most 10 years"),
        (
            "9007199254740992",
            "0: 9007199254740992 is neither an integer nor a duration such as 90s or 1h30m"
        ),
        ("user", "0: there is no name user here; did you mean used?"),
        ("hints", "0: hints is a setting; write settings.hints"),
        ("open", "0: there is no name open here; put a text in single quotes: 'open'"),
        (
            "door == 'ajar'",
            "8: there is no text 'ajar' among open, shut here; expected one of open, shut"
        ),
        ("settings.hint", "0: there is no name settings.hint here; did you mean hints?"),
        ("foo.bar", "0: foo.bar: only settings, state and event have members"),
        ("cuont(solved)", "0: there is no function cuont here; did you mean count?"),
        ("count()", "0: write count(SET), count(TALLY), count(TABLE) or count(TEXT)"),
        ("left(timeUp)", "5: there is no timer timeUp here"),
        ("1 + 'x'", "2: + is not defined for integer and the text 'x'"),
        ("left * left", "5: * is not defined for duration and duration"),
        ("left + 1", "5: + is not defined for duration and integer"),
        ("left < 5", "5: duration and integer cannot be compared"),
        ("word < 'x'", "0: expected an integer or a duration, but this is text"),
        ("n == 'x'", "2: integer and the text 'x' cannot be compared"),
        ("not n", "4: expected boolean, but this is integer"),
        (
            "n in n",
            "5: expected a set, a checklist, a tally or a range such as 1..5, but this is integer"
        ),
        (
            "1 if true else 'x'",
            "0: the two sides of if have different types: integer and the text 'x'"
        ),
        ("who + 'x'", "4: + is not defined for optional text and the text 'x'"),
        ("given(word, 'x')", "6: text is never null, so given is not needed"),
        ("1 if true", "9: expected else, not the end"),
        ("settings", "0: there is no name settings here; did you mean settings.hints?"),
    ])
    func `a mistake is reported with its offset and a hint`(_ text: String, _ mistake: String) {
        #expect(result(text) == mistake)
    }

    @Test(arguments: [
        ("1 / (n - 7)", "division by zero"), ("1 % (n - 7)", "division by zero"),
        ("9007199254740991 + used", "the result of + is too large"),
        ("9007199254740991 * 9007199254740991 * 0", "the result of * is too large"),
    ])
    func `an expression without a value gives the reason`(_ text: String, _ why: String) {
        #expect(result(text) == why)
    }

    @Test func `an expression that may be null needs given where a value is expected`() {
        var compiler = ExpressionCompiler(Self.scope)
        #expect(
            throws: ExpressionError(
                offset: 0,
                why:
                    "expected text, but this is optional text; it may be null: write given(X, Y) for Y where X is null"
            )
        ) { try compiler.compile("who", as: .text) }
    }

    @Test func `a text of an expression has at most 1000 characters`() {
        let long = String(repeating: "x", count: 600)
        #expect(result("'\(long)' + word") != "a text of more than 1000 characters")
        var compiler = ExpressionCompiler(
            ExpressionScope(arguments: [.init(name: "a", type: .text)], settings: []))
        let twice = try? compiler.compile("a + a", as: .text)
        #expect(throws: EvaluationError(why: "a text of more than 1000 characters")) {
            try twice?.evaluate(EvaluationContext(arguments: [.string(long)], settings: []))
        }
    }

    @Test func `the nesting and the length of expressions are limited, and no expression traps`() {
        #expect(
            result(String(repeating: "(", count: 64) + "1" + String(repeating: ")", count: 64))
                == "64: \(FlowFileLimit.expressionLevels.sentence)")
        #expect(
            result(String(repeating: "(", count: 60) + "1" + String(repeating: ")", count: 60))
                == "1")
        #expect(result(String(repeating: "-", count: 900) + "1").contains("expressionLevels"))
        #expect(result(String(repeating: "not ", count: 200) + "true").contains("expressionLevels"))
        #expect(result(String(repeating: "1+", count: 500) + "1").contains("expressionLength"))
        #expect(result(String(repeating: "1+", count: 499) + "1") == "500")
        #expect(
            result(String(repeating: "1 if true else ", count: 65) + "1").contains(
                "expressionLevels"))
    }

    @Test(arguments: seeds(8))
    func `random words as an expression do not trap the compiler or the evaluation`(
        _ seed: UInt64
    ) {
        var random = SeededRandom(seed)
        let words = [
            "1", "1h", "'x'", "n", "solved", "points", "who", "left", "left(", "(", ")", "+", "-",
            "*",
            "/", "%", "in", "..", "not", "and", "or", "if", "else", "null", "none", "==", "<", ",",
            "count(", "add(", "given(", "settings", ".", "event", "9007199254740991", "'", "\u{0}",
        ]
        for _ in 0..<2000 {
            let count = random.below(12)
            _ = result((0..<count).map { _ in random.pick(words) }.joined(separator: " "))
        }
    }

    // MARK: the second evaluator

    /// The names that random expressions use. `ReferenceExpression`, the second evaluator, generates these expressions and
    /// computes their values without the compiler.
    private static let referenceScope = ExpressionScope(
        data: ReferenceExpression.declarations.map {
            .init(name: $0.name, type: (try? TypeText($0.type))?.type ?? .null)
        }, settings: [])

    @Test(arguments: seeds(40))
    func `random expressions have the values of a second evaluator`(_ seed: UInt64) {
        var random = SeededRandom(seed)
        var (results, failures) = (0, 0)
        for _ in 0..<200 {
            let kind = random.pick(ReferenceExpression.Kind.allCases)
            let expression = ReferenceExpression.random(kind, depth: 4, &random)
            guard expression.text.unicodeScalars.count <= FlowFileLimit.expressionLength.maximum
            else {
                continue
            }
            let valuesByName = Self.values(&random)
            let expected = (try? expression.value(valuesByName)).map(Self.value)
            let data = ReferenceExpression.declarations.map { Self.value(valuesByName[$0.name]!) }
            let compiledValue: Value?
            do {
                var compiler = ExpressionCompiler(Self.referenceScope)
                let compiled = try compiler.compile(expression.text, as: nil)
                compiledValue = try? compiled.evaluate(EvaluationContext(data: data, settings: []))
            } catch {
                // A comparison of constants that is never true is a mistake.
                if error.why.hasPrefix("there is no text") { continue }
                Issue.record("seed \(seed): \(expression.text): \(error)")
                continue
            }
            #expect(
                compiledValue == expected, "seed \(seed): \(expression.text) with \(valuesByName)")
            if expected == nil { failures += 1 } else { results += 1 }
        }
        #expect(
            results > 100 && failures > 0, "seed \(seed): \(results) results, \(failures) failures")
    }

    /// A random value for each name that random expressions use.
    private static func values(_ random: inout SeededRandom) -> [String: ReferenceExpression.Value]
    {
        let numbers = [-3, 0, 1, 2, 7, 5000, 9_007_199_254_740_991]
        return [
            "n": .number(random.pick(numbers)), "m": .number(random.pick(numbers)),
            "d": .number(random.pick(numbers)), "e": .number(random.pick(numbers)),
            "t": .text(random.pick(["", "x", "ab"])), "u": .text(random.pick(["é", "it's"])),
            "b": .truth(random.below(2) == 0), "s": .set(random.pick([[], ["x"], ["", "ab"]])),
            "y": random.pick([.tally([], []), .tally(["x", "é"], [3, -9_007_199_254_740_991])]),
            "o": random.pick([.null, .number(4)]),
        ]
    }

    /// The value as compiled expressions represent it.
    private static func value(_ value: ReferenceExpression.Value) -> Value {
        switch value {
        case .number(let number): .int(number)
        case .truth(let truth): .bool(truth)
        case .text(let text): .string(text)
        case .set(let texts): .array(texts.map { .string($0) })
        case .tally(let keys, let points): .object(zip(keys, points).map { Member($0, $1) })
        case .null: .null
        }
    }
}
