import GameFlow
import Testing

@testable import FlowFiles

@Suite struct DocumentReaderTests {
    private func read(_ text: String) -> (node: DocumentNode?, findings: [String]) {
        read(bytes: Array(text.utf8))
    }

    private func read(bytes: [UInt8]) -> (node: DocumentNode?, findings: [String]) {
        let findings = FindingList(file: "f")
        let node = DocumentReader.read(bytes, findings)
        return (node, findings.sorted.map(\.description))
    }

    @Test func `a map keeps its order and every node has its position`() throws {
        let (node, findings) = read("b: 1\na:\n  - x\n  - 'y'\n")
        #expect(findings == [])
        let entries = try #require(node?.entries)
        #expect(entries.map(\.key) == ["b", "a"])
        #expect(entries[1].position == FilePosition(line: 2, column: 1))
        guard case .list(let list) = entries[1].value.content else {
            Issue.record("not a list")
            return
        }
        #expect(
            list.map(\.position) == [
                FilePosition(line: 3, column: 5), FilePosition(line: 4, column: 5),
            ])
        #expect(list.map(\.isQuoted) == [false, true])
    }

    @Test(arguments: [
        ("a: &x 1", "f:1:4: an anchor (&…); flow files have none: write the value again"),
        ("a: [*x]", "f:1:5: an alias (*…); flow files have none: write the value again"),
        ("a: !!int 1", "f:1:4: a tag (!…); flow files have none: the expected type decides"),
        ("a:\n  <<: {b: 1}", "f:2:3: a merge (<<); flow files have none: write the keys again"),
        ("a: 1\n---\nb: 2", "f:2:1: a second document; a flow file has one, without ---"),
        ("a: 1\nb: 2\na: 3", "f:3:1: the key a is here twice; the first is in line 1"),
        (
            "a: yes",
            "f:1:4: yes without quotes; write true for a boolean, or 'yes' for a name or a text"
        ),
        (
            "a: [Off]",
            "f:1:5: Off without quotes; write false for a boolean, or 'Off' for a name or a text"
        ),
        ("[a]: 1", "f:1:1: a list as a key; a key is a name"),
        (
            "a:\n\tb: 1",
            "f:2:1: a tab; indent with spaces, and write \\t in double quotes where a text needs a tab"
        ),
        (
            "a: b: c",
            "f:1:5: not YAML: mapping values are not allowed in this context; put a text that contains a colon in quotes"
        ),
        ("", "f:1:1: the file is empty; it begins with `flow: NAME`"),
        ("# nothing\n", "f:1:1: the file is empty; it begins with `flow: NAME`"),
    ])
    func `YAML syntax that flow files do not have is reported with its position`(
        _ text: String, _ finding: String
    ) {
        #expect(read(text).findings == [finding])
    }

    @Test func `words that YAML reads as booleans may be texts in quotes, and on may be a key`() {
        #expect(read("on: 'yes'\nb: \"off\"").findings == [])
    }

    @Test func `bytes that are not UTF-8 are reported with their position`() {
        let (node, findings) = read(bytes: Array("a: 1\nb: é".utf8) + [0xFF, 0x41])
        #expect(node == nil)
        #expect(findings == ["f:2:5: not UTF-8; save the file as UTF-8"])
    }

    @Test(arguments: [
        (#"a: "x\0y""#, "f:1:4: the character NUL, \\0; no text can contain it, so remove it"),
        (
            "b: 1\n\"k\\x00\": [\"\\u0000\"]",
            "f:2:1: the character NUL, \\0; no text can contain it, so remove it"
        ),
    ])
    func `an escaped NUL is reported at the text that contains it`(_ text: String, _ first: String)
    {
        #expect(read(text).findings.first == first)
    }

    @Test func `a file of a journal is read with the NUL that it contains`() throws {
        let text = #"{flow: f, start: a, title: "x\0y", states: {a: {}}}"#
        #expect(findings(text).count == 1)
        let flow = try FlowFile.flow(of: FlowSource(version: "1", text: Array(text.utf8)))
        #expect(flow.presentation.flow.title == "x\0y")
    }

    @Test(arguments: ["\0", "\u{1}", "\u{7f}"])
    func `a control character is reported where it is`(_ character: String) {
        let findings = read("a: é\nbé: x\(character)y\n").findings
        #expect(findings == ["f:2:6: not YAML: control characters are not allowed"])
    }

    @Test func `several findings are reported together`() {
        let findings = read("a: &x yes\nb: !t no\n").findings
        #expect(findings.count == 4)
    }

    @Test func `neither a prefix of a file nor a changed byte traps the reader`() throws {
        let text = Array(
            "a: {b: [1, 'x', \"\\u00e9\"], c: |\n  d\n}\n? x\n: *y\n--- &z !t %\n".utf8)
        for count in 0...text.count { _ = read(bytes: Array(text[..<count])) }
        for byte in UInt8.min...UInt8.max {
            for offset in stride(from: 0, to: text.count, by: 3) {
                var changed = text
                changed[offset] = byte
                _ = read(bytes: changed)
            }
        }
    }
}
