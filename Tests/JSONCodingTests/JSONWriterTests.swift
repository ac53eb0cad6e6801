import GameFlow
import JSONCoding
import TestSupport
import Testing

@Suite struct JSONWriterTests {
    /// The JSON that the calls in `write` produce.
    private func json(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter(capacity: 1)
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func `commas are added where they are needed`() {
        let text = json {
            $0.beginObject()
            $0.name("a")
            $0.beginArray()
            $0.int(1)
            $0.bool(true)
            $0.null()
            $0.beginObject()
            $0.endObject()
            $0.endArray()
            $0.key("b")  // like `name`, but takes a String
            $0.string("x")
            $0.name("c")
            $0.object([Member("d", .int(-1)), Member("e", .array([]))])
            $0.endObject()
        }
        #expect(text == #"{"a":[1,true,null,{}],"b":"x","c":{"d":-1,"e":[]}}"#)
    }

    @Test(arguments: [
        ("plain", #""plain""#), ("", #""""#), ("\"\\/", #""\"\\/""#),
        ("\n\r\t\u{1}\u{1f}", #""\n\r\t\u0001\u001f""#),
        ("12345678\"", #""12345678\"""#), ("1234567\\9", #""1234567\\9""#),
        ("größe ☃ 😀 and more of it", #""größe ☃ 😀 and more of it""#),
        ("\u{7f}\u{80}", "\"\u{7f}\u{80}\""),
    ])
    func `strings are escaped only where necessary`(_ text: String, _ expected: String) {
        #expect(json { $0.string(text) } == expected)
    }

    @Test(arguments: [
        0, 7, -7, 10, 99, 100, 1_000_000, 9_007_199_254_740_991, -9_007_199_254_740_991, Int.max,
        Int.min,
    ])
    func `integers are written with all digits`(_ number: Int) {
        #expect(json { $0.int(number) } == String(number))
    }

    @Test func `written values are parsed unchanged`() throws {
        for seed in seeds(500) {
            var random = SeededRandom(seed)
            let value = randomValue(&random, depth: 0)
            var json = JSONText()
            var writer = JSONWriter()
            writer.value(value)
            try json.read(writer.bytes[...])
            #expect(json.value(at: JSONText.root) == value, "seed \(seed)")
        }
    }

    @Test func `a truncated and a shrunk writer can be written to`() {
        let text = json {
            for _ in 0..<10_000 { $0.int(123_456) }
            $0.truncate(to: 6)
            $0.shrink(to: 100)
            $0.raw("!")
        }
        #expect(text == "123456!")
    }

    private func randomValue(_ random: inout SeededRandom, depth: Int) -> Value {
        switch random.below(depth < 4 ? 6 : 4) {
        case 0: return .null
        case 1: return .bool(random.below(2) == 0)
        case 2: return .int(random.below(2 * Value.largest + 1) - Value.largest)
        case 3: return .string(randomText(&random))
        case 4:
            return .array((0..<random.below(5)).map { _ in randomValue(&random, depth: depth + 1) })
        default:
            return .object(
                (0..<random.below(20)).map { index in
                    Member("\(index)" + randomText(&random), randomValue(&random, depth: depth + 1))
                })
        }
    }

    private func randomText(_ random: inout SeededRandom) -> String {
        let alphabet = Array("ab\"\\\n\u{1}\u{1f}ü☃😀/ \u{7f}")
        return String((0..<random.below(20)).map { _ in alphabet[random.below(alphabet.count)] })
    }
}
