import Testing

@testable import Shell

/// What a terminal can show.
@Suite struct TerminalTests {
    @Test(arguments: [
        ("de_DE.UTF-8", true), ("C.utf8", true), ("en_US.UTF-8@euro", true), ("C", false),
        ("", false),
        ("de_DE.ISO-8859-1", false),
    ])
    func `a locale names its character set`(_ locale: String, _ isUTF8: Bool) {
        #expect(Terminal.isUTF8(locale: locale) == isUTF8)
    }

    @Test func `lines, bars and arrows have plain forms, and letters stay`() {
        #expect(
            Terminal.plain("Tür · a → b  timeUp ▕██░▏ 0:12 …")
                == "Tür - a -> b  timeUp [##.] 0:12 ...")
    }

    @Test func `a file or a pipe gets all characters`() {
        #expect(Terminal(-1).shown("a → b") == "a → b")
    }
}
