import GameFlow
import JSONCoding
import TestSupport
import Testing

@Suite struct TextWordsTests {
    private func value(_ random: inout SeededRandom, depth: Int = 0) -> Value {
        let texts = [
            "x", "", "true", "12", "a b", "it's", "\"q\"", "\\", "a\\\"b", "line\nline", "\t", "é😀",
            "{", "[1]", "#", "=", "a=b", "null", "1e5", "\u{7F}",
            "1h", "0451", "-1", "-x", "@x", "a,b", "90%", "+1", "01:30", "\u{A0}", "\u{200B}",
        ]
        switch random.below(depth > 2 ? 4 : 6) {
        case 0: return .int(random.below(2000) - 1000)
        case 1: return .bool(random.below(2) == 0)
        case 2, 3: return .string(random.pick(texts))
        case 4: return .array((0..<random.below(3)).map { _ in value(&random, depth: depth + 1) })
        default:
            return .object(
                (0..<random.below(3)).map { Member("m\($0)", value(&random, depth: depth + 1)) })
        }
    }

    @Test(arguments: seeds(400)) func `a written word is parsed unchanged`(
        _ seed: UInt64
    )
        throws
    {
        var random = SeededRandom(seed)
        let members = (0..<3).map { Member("k\($0)", value(&random)) }
        let text = TextWords.write(members)
        let words = try TextWords.split(Array(text.utf8)[...])
        #expect(words.count == 3, "seed \(seed): \(text)")
        let read = words.map { Member(String($0.key ?? ""), $0.jsonValue) }
        #expect(read == members, "seed \(seed): \(text)")
    }

    @Test(arguments: seeds(100)) func `a written text is read unchanged where each value is a text`(
        _ seed: UInt64
    ) throws {
        var random = SeededRandom(seed)
        guard case .string(let text) = value(&random, depth: 3) else { return }
        let written = TextWords.write(text: text)
        // A text with control characters is written as JSON, which only the reader of values decodes.
        guard !text.unicodeScalars.contains(where: { $0.value < 0x20 }) else { return }
        let words = try TextWords.split(Array("k=\(written)".utf8)[...])
        #expect(words.map { String($0.value) } == [text], "seed \(seed): \(written)")
    }

    @Test func `an error has the offset of its word`() {
        let error = #expect(throws: TextWordsError.self) {
            try TextWords.split(Array("send x=1  'open".utf8)[...])
        }
        #expect(error?.offset == 10)
    }
}
