import JSONCoding
import Parts
import Testing

@testable import GamedServer

@Suite struct ConfigurationFileTests {
    @Test(arguments: ["# a comment\nclock virtual\n", "clock virtual\r\n", "\n\nclock virtual"])
    func `a byte order mark at the beginning is skipped`(_ text: String) {
        let file = ConfigurationFile("gamed.conf", text: Array(("\u{FEFF}" + text).utf8))
        #expect(file.mistakes == [])
        #expect(file.lines.map(\.name.text) == ["clock"])
    }

    @Test func `a byte order mark elsewhere is a part of a word`() {
        let file = ConfigurationFile("gamed.conf", text: Array("\n\u{FEFF}clock virtual".utf8))
        #expect(file.lines.map(\.name.text) != ["clock"])
    }
}
