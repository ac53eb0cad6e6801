import Support
import Testing

@Suite struct TerminalTextTests {
    @Test(arguments: [
        ("plain é😀", "plain é😀"), ("a\u{1B}[2J", "a\\u001b[2J"), ("\u{9B}1m", "\\u009b1m"),
        ("a\nb", "a\\u000ab"), ("\u{7F}", "\\u007f"), ("\u{202E}x", "\\u202ex"),
        ("\u{2066}", "\\u2066"),
    ])
    func `what a terminal would obey is escaped`(_ text: String, _ escaped: String) {
        #expect(TerminalText.escaped(text) == escaped)
    }
}
