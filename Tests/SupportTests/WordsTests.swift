import Support
import Testing

@Suite struct WordsTests {
    /// The words of a line up to a word that begins with a brace. `object` is the part of the line from that word to the end, nil
    /// without such a word.
    private func split(_ line: String, isConfiguration: Bool = false) throws(WordsError)
        -> (texts: [String], object: String?)
    {
        let split = try Words.split(Array(line.utf8)[...], isConfiguration: isConfiguration)
        return (split.words.map(\.text), split.object.map { String(decoding: $0, as: UTF8.self) })
    }

    @Test(arguments: [
        ("", []), (" \t ", []), ("a  b\tc", ["a", "b", "c"]), ("'a b' \"c d\"", ["a b", "c d"]),
        (#"'a\b' "a\b" "a\"b""#, [#"a\b"#, #"a\b"#, "a\"b"]), (#"a\ b \'"#, ["a b", "'"]),
        ("x'y'z", ["xyz"]), ("#a", ["#a"]), ("é ü", ["é", "ü"]),
    ])
    func `quotes have the same meaning as in a shell`(_ line: String, _ words: [String]) throws {
        let (texts, object) = try split(line)
        #expect(texts == words && object == nil)
    }

    @Test func `a word that begins with a name and = has a key and a value`() throws {
        let words = try Words.split(Array("k=v _a1='b c' 1=2 =x é=1 'k'=v k=".utf8)[...]).words
        #expect(words.map { $0.key.map(String.init) } == ["k", "_a1", nil, nil, nil, nil, "k"])
        #expect(words.map { String($0.value) } == ["v", "b c", "1=2", "=x", "é=1", "k=v", ""])
        // Only the value of `_a1` is quoted as a whole.
        #expect(words.map(\.isQuoted) == [false, true, false, false, false, false, false])
        #expect(words.map(\.offset) == [0, 4, 14, 18, 21, 26, 32])
    }

    @Test func `from a word that begins with a brace, the rest of the line is returned unchanged`()
        throws
    {
        let (texts, object) = try split(#"send pause {"a": 1} x"#)
        #expect(texts == ["send", "pause"] && object == #"{"a": 1} x"#)
        let quoted = try split("'{' x")
        #expect(quoted.texts == ["{", "x"] && quoted.object == nil)
    }

    @Test func `in a configuration, # begins a comment, and key={…} is one word`() throws {
        let (texts, object) = try split(
            #"map args={"a b": "}"} on # 'x"#, isConfiguration: true)
        #expect(texts == ["map", #"args={"a b": "}"}"#, "on"] && object == nil)
    }

    @Test(
        arguments: [
            ([0x61, 0xC3], "not UTF-8", 0), ([0x61, 0x20, 0x01], "a control byte", 2),
            (Array("a  'b".utf8), "an unclosed quote", 3),
            (Array("a \"b".utf8), "an unclosed quote", 2),
            (Array("ab \\".utf8), "a lone backslash", 3),
        ] as [([UInt8], String, Int)])
    func `an error has the offset of its word`(_ line: [UInt8], _ why: String, _ offset: Int) {
        let error = #expect(throws: WordsError.self) { try Words.split(line[...]) }
        #expect(error?.why == why && error?.offset == offset)
    }
}
