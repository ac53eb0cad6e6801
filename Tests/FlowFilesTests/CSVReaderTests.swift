import Testing

@testable import FlowFiles

/// The text of table files: comma-separated values as in RFC 4180.
@Suite struct CSVReaderTests {
    private func read(_ bytes: [UInt8]) -> [[String]]? {
        (try? CSVReader.read(bytes))?.map { $0.map(\.text) }
    }

    private func mistake(_ bytes: [UInt8]) -> String {
        do throws(CSVReader.SyntaxError) {
            _ = try CSVReader.read(bytes)
            return ""
        } catch { return "\(error.position.line):\(error.position.column): \(error.why)" }
    }

    @Test(arguments: [
        ("a,b\n1,2\n", [["a", "b"], ["1", "2"]]),
        ("a,b\r\n1,2", [["a", "b"], ["1", "2"]]),
        ("a\n\"x, \"\"y\"\"\r\nz\"\n", [["a"], ["x, \"y\"\r\nz"]]),
        ("a,b\n\n,\n", [["a", "b"], ["", ""]]),
        ("a\n\"\"\n x \n", [["a"], [""], [" x "]]),
        ("\u{FEFF}ä\nö", [["ä"], ["ö"]]),
        ("", []),
    ])
    func `fields are separated by commas and may be in quotes`(
        _ text: String, _ records: [[String]]
    ) {
        #expect(read(Array(text.utf8)) == records)
    }

    @Test(arguments: [
        (
            "a\nä\"b\n",
            "2:2: a quote in a field without quotes; put the field in quotes and double this one"
        ),
        ("a,b\n1,\"x\n", "2:3: the field that begins here has no closing quote"),
        ("\"a\nb\"x", "2:3: expected a comma or the end of the line after a quote"),
        ("a\rb", "1:2: a carriage return without a line feed after it"),
    ])
    func `a mistake has its position`(_ text: String, _ sentence: String) {
        #expect(mistake(Array(text.utf8)) == sentence)
    }

    @Test func `other encodings are refused`() {
        let utf16: [UInt8] = [0xFF, 0xFE, 0x61, 0]
        let sentence = "1:1: the file is UTF-16 or has zero bytes; save it as UTF-8"
        #expect(mistake(utf16) == sentence)
        #expect(mistake([0x61, 0, 0x62, 0]) == sentence)
        #expect(
            mistake(Array("a\nbä".utf8) + [0xFC, 0x0A]) == "2:3: not UTF-8; save the file as UTF-8")
    }
}
