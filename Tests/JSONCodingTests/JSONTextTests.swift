import GameFlow
import JSONCoding
import Testing

@Suite struct JSONTextTests {
    private func read(_ text: String) throws -> Value { try read(Array(text.utf8)) }

    private func read(_ bytes: [UInt8]) throws -> Value {
        var json = JSONText()
        try json.read(bytes[...])
        return json.value(at: JSONText.root)
    }

    @Test(arguments: [
        ("null", Value.null), ("true", .bool(true)), ("false", .bool(false)), ("0", .int(0)),
        (" 7 ", .int(7)), ("\"\"", .string("")), ("[]", .array([])), ("{}", .object([])),
        ("[1,[2,{}],\"x\"]", .array([.int(1), .array([.int(2), .object([])]), .string("x")])),
        (
            "{\"a\":1,\"b\":[true]}",
            .object([Member("a", .int(1)), Member("b", .array([.bool(true)]))])
        ),
        ("\"\\u0041\\n\\t\\\\\\/\\\"\"", .string("A\n\t\\/\"")),
        ("\"\\ud83d\\ude00\"", .string("😀")), ("\"größe ☃\"", .string("größe ☃")),
        ("{\"a\\u0062\":1}", .object([Member("ab", .int(1))])),
    ])
    func `valid JSON is parsed`(_ text: String, _ value: Value) throws {
        #expect(try read(text) == value)
    }

    @Test(arguments: [
        "", " ", "01", "-01", "1.", ".5", "+1", "-", "1e", "1e+", "0x1", "NaN", "Infinity", "tru",
        "nul", "True", "'a'", "\"a", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "[1,]", "[,1]", "[1 2]",
        "[", "]", "{", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{1:2}", "{\"a\":1 \"b\":2}",
        "1 2", "{} x", "[]]", "\"\t\"", "\"\u{1}\"", "\"\n\"", "\"\\ud800\"", "\"\\udc00\"",
        "\"\\ud800\\u0041\"", "\"\\ud800x\"", "// x", "{\"a\":1,\"a\":2}",
        "{\"a\":1,\"\\u0061\":2}",
        "[{\"b\":{\"c\":1,\"c\":1}}]",
    ])
    func `invalid JSON is rejected`(_ text: String) {
        #expect(throws: JSONError.self) { try read(text) }
    }

    @Test(
        arguments: [
            [0x80], [0xC0, 0xAF], [0xC1, 0x81], [0xE0, 0x80, 0xAF], [0xED, 0xA0, 0x80],
            [0xF0, 0x80, 0x80, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xC3], [0xE2, 0x82],
            [0xC3, 0x28],
        ] as [[UInt8]])
    func `invalid UTF-8 is rejected`(_ bytes: [UInt8]) {
        #expect(throws: JSONError.self) { try read([0x22] + bytes + [0x22]) }
        #expect(!UTF8Check.isValid(bytes[...]))
    }

    @Test func `Unicode scalars from the whole range are parsed unchanged`() throws {
        for start in stride(from: UInt32(0x20), to: 0x11_0000, by: 977) {
            guard let scalar = Unicode.Scalar(start), scalar != "\"", scalar != "\\" else {
                continue
            }
            let text = String(Character(scalar))
            #expect(try read("\"\(text)\"") == .string(text))
            #expect(UTF8Check.isValid(Array(text.utf8)[...]))
        }
    }

    @Test func `the nesting depth is limited, and no depth exhausts the stack`() throws {
        let deepest = JSONText.depthLimit
        let fits = String(repeating: "[", count: deepest) + String(repeating: "]", count: deepest)
        _ = try read(fits)
        #expect(throws: JSONError.tooDeep) { try read("[" + fits + "]") }
        #expect(throws: JSONError.tooDeep) { try read(String(repeating: "[", count: 10_000)) }
        #expect(throws: JSONError.tooDeep) { try read(String(repeating: "{\"a\":", count: 10_000)) }
    }

    @Test func `a duplicate member is found among many`() {
        let many = (0..<3000).map { "\"k\($0)\":0" }.joined(separator: ",")
        #expect(throws: Never.self) { try read("{\(many)}") }
        #expect(throws: JSONError.self) { try read("{\(many),\"k7\":1}") }
        #expect(throws: JSONError.self) { try read("{\(many),\"\\u006b7\":1}") }
    }

    @Test(arguments: [
        ("5", 5), ("5.0", 5), ("5e0", 5), ("50e-1", 5), ("0.5e1", 5), ("-0", 0), ("-0.0", 0),
        ("0e999999999999", 0),
        ("9007199254740991", 9_007_199_254_740_991),
        ("-9007199254740991.000", -9_007_199_254_740_991),
        ("1E3", 1000), ("1e+3", 1000), ("123456789012345", 123_456_789_012_345),
        ("1234567890123456", 1_234_567_890_123_456),
    ])
    func `all forms of an integer are parsed as that integer`(_ text: String, _ number: Int) throws
    {
        #expect(try read(text) == .int(number))
    }

    @Test(arguments: [
        "0.5", "5.000000000000000000000000001", "1e-1", "1e-999999999999", "9007199254740992",
        "-9007199254740992", "9007199254740991.5", "1e16", "1e400", "-1e999999999999",
        "12345678901234567890123",
    ])
    func `a fraction or a number beyond 2^53 − 1 is parsed as an unfit value`(_ text: String) throws
    {
        #expect(try read(text).flaw != nil)
    }

    @Test func `a NUL in a string is valid JSON, but is parsed as an unfit value`() throws {
        #expect(try read("\"a\\u0000b\"").flaw != nil)
        #expect(try read("{\"a\":[\"\\u0000\"]}").flaw != nil)
    }

    @Test func `a text that ends too early is rejected wherever it ends`() throws {
        let whole = Array(
            #"{"name":[-1.5e+3,true,null,"a\u00e9\ud83d\ude00 ü€"],"b":{"c":""}}"#.utf8)
        var text = JSONText()
        try text.read(whole[...])
        // The whole text is parsed before each shortened text. Its end is then still in the buffer, but the parser of the
        // shortened text must not read it.
        for end in whole.indices {
            #expect(throws: JSONError.self) { try text.read(whole[..<end]) }
            try text.read(whole[...])
        }
    }

    @Test func `names of each length are compared completely, including the last byte`() throws {
        var text = JSONText()
        for length in 0...40 {
            let name = String(repeating: "n", count: length)
            #expect(throws: JSONError.self, "\(length)") {
                try text.read(Array("{\"\(name)\":1,\"\(name)\":2}".utf8)[...])
            }
            for index in 0..<length {
                var bytes = Array(name.utf8)
                bytes[index] = UInt8(ascii: "m")
                let differentName = String(decoding: bytes, as: UTF8.self)
                try text.read(Array("{\"\(name)\":1,\"\(differentName)\":2}".utf8)[...])
            }
        }
        let words: [StaticString] = [
            "", "a", "ab", "abc", "abcd", "abcdefg", "abcdefgh", "abcdefghi", "abcdefghabcdefgh",
            "abcdefghabcdefghi",
        ]
        for word in words {
            for parsedWord in words {
                try text.read(Array("\"\(parsedWord)\"".utf8)[...])
                #expect(
                    text.isString(word, at: JSONText.root)
                        == (word.description == parsedWord.description))
            }
        }
    }

    @Test func `parsing replaces the previous text`() throws {
        var json = JSONText()
        try json.read(Array("{\"a\":1}".utf8)[...])
        #expect(throws: JSONError.self) { try json.read(Array("{\"b".utf8)[...]) }
        try json.read(Array("[2]".utf8)[...])
        #expect(json.value(at: JSONText.root) == .array([.int(2)]))
    }
}
