import Support
import Testing

@Suite struct DurationTextTests {
    @Test(arguments: [
        ("250ms", 250), ("30s", 30_000), ("5m", 300_000), ("1h30m", 5_400_000), ("1h", 3_600_000),
        ("0s", 0),
        ("1m1ms", 60_001), ("2d", 172_800_000), ("90s", 90_000), ("3653d", 315_619_200_000),
    ])
    func `durations are parsed`(_ text: String, _ ms: Int64) {
        #expect(DurationText.read(text) == .milliseconds(ms))
    }

    @Test(arguments: [
        "", "3", "s", "-3s", "3 s", "1.5s", "3x", "3S", "1m1h", "1s1s", "3654d",
        "99999999999999999999s", "1h-3m",
        "315619200001ms", "٣s",
    ])
    func `invalid durations are nil`(_ text: String) {
        #expect(DurationText.read(text) == nil)
    }

    @Test(arguments: ["3654d", "-3654d", "315619200001ms", "99999999999999999999s", "3653d1ms"])
    func `the longest duration is expected in place of one that is too long`(_ text: String) {
        #expect(DurationText.isTooLong(text) && DurationText.readSigned(text) == nil)
        #expect(DurationText.expectation(insteadOf: text) == "a duration of at most 10 years")
    }

    @Test(arguments: ["3653d", "soon", "", "-", "99999999999999999999", "9999d1d", "9999dx"])
    func `a text that is no duration is not too long`(_ text: String) {
        #expect(!DurationText.isTooLong(text))
    }

    @Test(arguments: ["0s", "250ms", "30s", "1m30s", "1h30m", "2d1ms"])
    func `a duration that is read and written is the same text again`(_ text: String) throws {
        #expect(DurationText.write(try #require(DurationText.read(text))) == text)
    }

    @Test
    func `a written duration is rounded up to milliseconds, and is from zero to about 285 years`() {
        #expect(DurationText.write(.nanoseconds(1)) == "1ms")
        #expect(DurationText.write(.seconds(-5)) == "0s")
        #expect(DurationText.write(.seconds(Int64.max)) == "104166d16h")
    }

    @Test(arguments: [
        (17_280_001_000, "200 days"), (129_600_000, "36 hours"), (172_799_999, "47 hours"),
        (7_200_000, "2 hours"), (119_999, "119 seconds"), (120_000, "2 minutes"),
        (12_340, "12 seconds"), (1500, "1.5 seconds"), (1000, "1 second"), (0, "0 seconds"),
    ])
    func `a duration in words has one unit`(_ ms: Int, _ words: String) {
        #expect(DurationText.words(.milliseconds(ms)) == words)
    }
}

@Suite struct CountTextTests {
    @Test func `only the number 1 has a noun in the singular`() {
        #expect((0...2).map { CountText.write($0, "row") } == ["0 rows", "1 row", "2 rows"])
    }
}

@Suite struct HexadecimalTests {
    @Test func `both cases are parsed, and upper case is written`() {
        #expect(Hexadecimal.read("01ff") == [0x01, 0xFF])
        #expect(Hexadecimal.read("01FF") == [0x01, 0xFF])
        #expect(Hexadecimal.read("aBcDeF") == [0xAB, 0xCD, 0xEF])
        #expect(Hexadecimal.read("") == [])
        #expect(Hexadecimal.write([0x01, 0xAB, 0xFF]) == "01ABFF")
        #expect(Hexadecimal.write([]) == "")
    }

    @Test func `all bytes are parsed unchanged`() {
        let bytes = Array(UInt8.min...UInt8.max)
        #expect(Hexadecimal.write(bytes).utf8.count == 512)
        #expect(Hexadecimal.read(Hexadecimal.write(bytes)) == bytes)
        #expect(Hexadecimal.read(Hexadecimal.write(bytes).lowercased()) == bytes)
    }

    @Test(arguments: [
        "0", "012", "0/", "0:", "0@", "0G", "0`", "0g", "+1", "-1", "0x01", " 1", "1 ", "01 FF",
        "é", "０１", "\u{0}\u{0}",
    ])
    func `invalid digits or an odd number of them are nil`(_ text: String) {
        #expect(Hexadecimal.read(text) == nil)
    }
}

@Suite struct TerminalTextTests {
    @Test(arguments: [
        ("plain é😀", "plain é😀"), ("a\u{1B}[2J", "a\\u001b[2J"), ("\u{9B}1m", "\\u009b1m"),
        ("a\nb", "a\\u000ab"), ("\u{7F}", "\\u007f"), ("\u{202E}x", "\\u202ex"),
        ("\u{2066}", "\\u2066"),
    ])
    func `characters that a terminal interprets are escaped`(_ text: String, _ escaped: String) {
        #expect(TerminalText.escaped(text) == escaped)
    }
}

@Suite struct DidYouMeanTests {
    @Test(arguments: [
        ("displayhelp", ["displayHelp"]), ("pasue", ["pause"]), ("chooseLevle", ["chooseLevel"]),
        ("xyz", []), ("", []), ("help", ["displayHelp", "dismissHelp"]),
    ])
    func `names with one or two typing errors, and names that contain the word, are suggested`(
        _ word: String, _ meant: [String]
    ) {
        let candidates = ["displayHelp", "dismissHelp", "pause", "chooseLevel", "chooseEpisode"]
        #expect(DidYouMean.suggest(word, candidates) == meant)
    }

    @Test func `at most three names are suggested, the nearest first`() {
        #expect(DidYouMean.suggest("room-1", ["room-22", "room-2", "room-3", "room-4"]).count == 3)
        #expect(
            DidYouMean.suggest("room-22", ["room-2", "room-22x", "room-22"]).first == "room-22")
    }
}
