import GameFlow
import Testing

@testable import FlowFiles

@Suite struct TypeTests {
    @Test(
        arguments: [
            ("integer", DataType.integer, nil), ("integer 0..5", .integer, 0...5),
            ("integer -5..-1", .integer, -5 ... -1), ("text 1..32", .text, 1...32),
            ("duration 1s..2m", .duration, 1000...120_000), ("boolean", .boolean, nil),
            ("one of a, b c ,d", .oneOf(["a", "b c", "d"]), nil), ("set", .set, nil),
            ("optional text 0..4", .optional(.text), 0...4), ("tally", .tally, nil),
        ] as [(String, DataType, ClosedRange<Int>?)])
    func `a type is read with its limits`(
        _ text: String, _ type: DataType, _ limits: ClosedRange<Int>?
    ) throws {
        let typeText = try TypeText(text)
        #expect(
            typeText.type == type && typeText.limits == limits && typeText.defaultText == nil)
    }

    @Test(arguments: [
        ("integer = 5", "5"), ("text 0..4 = ", ""), ("one of a, b = b", "b"),
        ("text = 'a b'", "a b"),
    ])
    func `a default follows an equals sign`(_ text: String, _ value: String) throws {
        #expect(try TypeText(text).defaultText == value)
    }

    @Test(arguments: [
        ("", "a type is missing here, such as integer"),
        ("optional", "a type is missing here, such as integer"),
        ("int", "int is not a type; did you mean integer?"),
        ("integer 5", "5 is not a range; write it like 1..5"),
        ("integer 5..1", "5 is more than 1"),
        ("text -1..5", "a length is not negative"),
        ("text 0..1001", "a text has at most 1000 characters (limit: textLength)"),
        ("boolean 0..1", "0..1 does not belong after boolean"),
        ("duration 1..5", "1..5 is not a range; write it like 1s..10m"),
        ("one of", "write the names: one of a, b"), ("one a", "write the names: one of a, b"),
        ("one of a,, b", "a name is missing between two commas"),
        ("one of a, a", "a is here twice"),
    ])
    func `a mistake in a type says what to write`(_ text: String, _ why: String) {
        do throws(TypeText.TypeError) {
            _ = try TypeText(text)
            Issue.record("accepted")
        } catch { #expect(error.why == why) }
    }

    @Test func `a type fits itself and every wider type`() {
        #expect(DataType.integer.fits(.optional(.integer)))
        #expect(!DataType.optional(.integer).fits(.integer))
        #expect(
            DataType.oneOf(["a"]).fits(.oneOf(["b", "a"])) && DataType.oneOf(["a"]).fits(.text))
        #expect(!DataType.text.fits(.oneOf(["a"])) && !DataType.link.fits(.text))
        #expect(DataType.null.fits(.optional(.set)) && !DataType.null.fits(.set))
        // `none` is the empty set and the empty tally.
        #expect(
            DataType.emptyCollection.fits(.set)
                && DataType.emptyCollection.fits(.optional(.tally)))
        #expect(DataType.oneOf(["https://a"]).fits(.link) && !DataType.oneOf(["a"]).fits(.link))
    }

    @Test(arguments: [
        ("5", DataType.text, Value.string("5")), ("5", .integer, .int(5)),
        ("-9007199254740991", .integer, .int(-9_007_199_254_740_991)),
        ("true", .boolean, .bool(true)), ("true", .text, .string("true")),
        ("1h30m", .duration, .int(5_400_000)), ("none", .set, .array([])),
        ("none", .tally, .object([])), ("null", .optional(.integer), .null),
        ("00-1a-2b-3c-4d-5e", .address, .string("00:1A:2B:3C:4D:5E")),
        ("http://x", .link, .string("http://x")),
    ])
    func `a literal is read as the type that is expected`(
        _ text: String, _ type: DataType, _ value: Value
    ) throws {
        #expect(try Literal.read(text, as: type) == value)
    }

    @Test(arguments: [
        ("9007199254740992", DataType.integer), ("1.5", .integer), ("+1", .integer),
        ("1e3", .integer),
        ("", .integer), ("True", .boolean), ("1", .boolean), ("90", .duration), ("11y", .duration),
        ("4000d", .duration), ("x", .set), ("http:/x", .link), ("://x", .link), ("http://", .link),
        ("http://a b", .link), ("0:1:2:3:4:5", .address), ("00:1A:2B:3C:4D", .address),
    ])
    func `a literal of another type is refused`(_ text: String, _ type: DataType) {
        #expect(throws: ArgumentError.self) { try Literal.read(text, as: type) }
    }

    @Test func `the function read checks a value's type, and violation checks its limits`()
        throws
    {
        var field = FieldDefinition(name: "n", type: .optional(.integer))
        field.limits = 0...5
        #expect(try field.read(.null) == .null && field.violation(.null) == nil)
        #expect(try field.read(.int(9)) == .int(9) && field.violation(.int(9)) == "not within 0…5")
        #expect(throws: ArgumentError("expected an integer")) { try field.read(.string("9")) }
        let names = FieldDefinition(name: "n", type: .oneOf(["a", "b"]))
        #expect(throws: ArgumentError("expected one of a, b")) { try names.read(.string("c")) }
        let tally = FieldDefinition(name: "n", type: .tally)
        #expect(throws: ArgumentError.self) { try tally.read(.object([Member("a", "b")])) }
        let set = FieldDefinition(name: "n", type: .set)
        #expect(set.violation(.array([.string("a"), .string("a")])) == "the same entry twice")
        #expect(
            set.violation(.array((0...256).map { .string("\($0)") })) == "more than 256 entries")
        let text = FieldDefinition(name: "n", type: .text)
        #expect(text.violation(.string(String(repeating: "é", count: 1000))) == nil)
        #expect(
            text.violation(.string(String(repeating: "é", count: 1001)))
                == "expected 0…1000 characters")
    }

    @Test func `texts are compared scalar by scalar`() {
        #expect(!ValueOperation.areEqual(.string("é"), .string("e\u{301}")))
        #expect(
            ValueOperation.removing(.string("é"), from: .array([.string("e\u{301}")]))
                == .array([.string("e\u{301}")]))
    }

    @Test(arguments: [
        "", "1a", "a b", "é", "a-b", "if", "none", "args", String(repeating: "a", count: 65),
    ])
    func `an invalid name has a reason`(_ name: String) {
        #expect(TextForm.nameMistake(name) != nil)
    }

    @Test func `a flow's name may have hyphens`() {
        #expect(TextForm.nameMistake("game-file", allowsHyphen: true) == nil)
        #expect(TextForm.nameMistake("a_B9") == nil)
    }
}
