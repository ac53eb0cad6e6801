import Support
import Testing

/// Texts from outside are compared by their bytes.
@Suite struct ByteTextTests {
    /// Pairs of texts that are equal for `==` of strings: composed and decomposed letters, two orders of marks, the sign for
    /// Kelvin and the letter K, the Greek question mark and a semicolon.
    static let equivalents = [
        ("é", "e\u{301}"), ("a\u{323}\u{302}", "a\u{302}\u{323}"), ("K", "\u{212A}"),
        (";", "\u{37E}"), ("Ω", "\u{2126}"),
        ("caf\u{E9}-a-name-of-more-bytes", "cafe\u{301}-a-name-of-more-bytes"),
    ]

    @Test(arguments: equivalents)
    func `canonically equivalent texts are different`(_ a: String, _ b: String) {
        #expect(a == b)
        #expect(!a.hasSameBytes(as: b) && !b.hasSameBytes(as: a))
        #expect(!a[...].hasSameBytes(as: b[...]))
        #expect(ByteText(a) != ByteText(b))
        #expect(Set([ByteText(a), ByteText(b), ByteText(a)]).count == 2)
    }

    @Test(arguments: ["", "a", "e\u{301}", "a text of more than fifteen bytes, é"])
    func `a text has the same bytes as itself`(_ text: String) {
        let copy = String(decoding: Array(text.utf8), as: UTF8.self)
        #expect(text.hasSameBytes(as: copy) && text.hasSameBytes(as: "x\(copy)".dropFirst()))
        #expect(ByteText(text) == ByteText(copy))
        #expect(ByteText(text).hashValue == ByteText(copy).hashValue)
    }
}
