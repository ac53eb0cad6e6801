import Inputs
import TestSupport
import Testing

@Suite struct LinesAndKeysTests {
    /// The lines of a text, joined by `|`, for each size of the pieces in which the text arrives.
    private func lines(_ text: String, end: LineEnd) -> Set<String> {
        let bytes = Array(text.utf8)
        return Set(
            [1, 2, 3, bytes.count].map { size in
                var splitter = LineSplitter(.end(end))
                let lines = stride(from: 0, to: bytes.count, by: size).flatMap {
                    splitter.add(bytes[$0..<min($0 + size, bytes.count)])
                }
                return lines.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "|")
            })
    }

    @Test func `lines end as the line says, in whatever pieces they arrive`() {
        #expect(lines("A\r\nB\nC\rD\r\r\n\n\nE", end: .any) == ["A|B|C|D"])
        #expect(lines("A\r\nB\nC\rD\n", end: .lf) == ["A|B|C\rD"])
        #expect(lines("A\rB\nC\r", end: .cr) == ["A|B\nC"])
        #expect(lines("A\r\nB\nC\rD\r\n", end: .crlf) == ["A|B\nC\rD"])
    }

    /// The lines between 02 and 03, joined by `|`, for each size of the pieces in which the bytes arrive.
    private func framedLines(_ text: String) -> Set<String> {
        let bytes = Array(text.utf8)
        return Set(
            [1, 2, 3, bytes.count].map { size in
                var splitter = LineSplitter(.frame(LineFrame(2, 3)!))
                let lines = stride(from: 0, to: bytes.count, by: size).flatMap {
                    splitter.add(bytes[$0..<min($0 + size, bytes.count)])
                }
                return lines.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "|")
            })
    }

    @Test func `only what is between the two bytes of a frame is a line`() {
        #expect(framedLines("x\u{2}A\r\n\u{3}\r\ny\u{2}B\u{3}\u{2}\u{3}") == ["A|B"])
        // The end of a line is lost, and a second end arrives.
        #expect(framedLines("\u{2}A\u{2}B\u{3}C\u{3}\u{2}D") == ["B"])
    }

    @Test func `a frame whose beginning was dropped is dropped, and one that is too long`() {
        var splitter = LineSplitter(.frame(LineFrame(2, 3)!))
        // Nothing of the line but its first byte has arrived.
        #expect(splitter.add([2]).isEmpty)
        splitter.skipPartialLine()
        #expect(splitter.add([0x41, 3, 2, 0x42, 3]) == [[0x42]])
        #expect(splitter.add([2, 0x43]).isEmpty)
        splitter.discardPartialLine()
        #expect(splitter.add([0x43, 3]).isEmpty)
        let longest = [UInt8](repeating: 0x41, count: LineSplitter.maximumBytes)
        #expect(splitter.add(([2] + longest + [0x0D, 0x0A, 3])[...]) == [longest])
        #expect(splitter.add(([2] + longest + [0x41, 3])[...]).isEmpty)
        #expect(splitter.dropped == 1)
    }

    @Test func `a frame is two different bytes in hexadecimal`() {
        #expect(LineFrame("02..03") == LineFrame(2, 3))
        #expect(LineFrame("3C..3e") == LineFrame(0x3C, 0x3E))
        for text in [
            "", "02", "02..02", "2..3", "002..3", "02...03", "02..03..", "+2..03", "0g..03",
        ] {
            #expect(LineFrame(text) == nil, "\(text)")
        }
    }

    @Test
    func `the rest of a line whose beginning was dropped is dropped, and the next line is not`() {
        var splitter = LineSplitter()
        #expect(splitter.add(Array("AB".utf8)[...]).isEmpty)
        splitter.skipPartialLine()
        #expect(splitter.add(Array("C\r\nD\n".utf8)[...]) == [Array("D".utf8)])
        // Between two lines there is nothing to skip.
        splitter.skipPartialLine()
        #expect(splitter.add(Array("E\n".utf8)[...]) == [Array("E".utf8)])
        #expect(splitter.dropped == 0)
    }

    @Test func `a line longer than the limit is dropped, and the next line is not`() {
        var splitter = LineSplitter()
        let longest = [UInt8](repeating: 0x41, count: LineSplitter.maximumBytes)
        #expect(splitter.add((longest + [0x0D, 0x0A])[...]) == [longest])
        #expect(splitter.add((longest + [0x41, 0x0A])[...]).isEmpty)
        for _ in 0..<10 { #expect(splitter.add(longest[...]).isEmpty) }
        #expect(splitter.add([0x0A, 0x42, 0x0A]) == [[0x42]])
        #expect(splitter.dropped == 2)
    }

    @Test func `a discarded partial line affects neither the next line nor the number dropped`() {
        var splitter = LineSplitter()
        let tooLong = [UInt8](repeating: 0x41, count: LineSplitter.maximumBytes + 2)
        #expect(splitter.add((tooLong + [0x0A] + tooLong)[...]).isEmpty)
        splitter.discardPartialLine()
        #expect(splitter.add(Array("B".utf8)[...]).isEmpty)
        splitter.discardPartialLine()
        #expect(splitter.add(Array("C\n".utf8)[...]) == [Array("C".utf8)])
        #expect(splitter.dropped == 1)
    }

    @Test func `a pattern captures the texts of its stars`() {
        func match(_ pattern: String, _ line: String) -> [String]? {
            LinePattern(pattern).match(Array(line.utf8))
        }
        #expect(match("SOLVED *", "SOLVED 3") == ["3"])
        #expect(match("*:*", "a:b:c") == ["a", "b:c"])
        #expect(match("*", "") == [""])
        #expect(match("A", "A") == [])
        for (pattern, line) in [
            ("SOLVED *", "SOLVED"), ("A", "AB"), ("aba*aba", "aba"), ("*x", "y"),
        ] {
            #expect(match(pattern, line) == nil, "\(pattern)")
        }
    }

    /// An input event of the kernel: its time, its kind, its code and its value. The time is zero. Kind 1 is a key, and its
    /// value is 1 for a press, 2 for a repetition and 0 for a release.
    private func event(_ kind: UInt16, _ code: UInt16, _ value: Int32) -> [UInt8] {
        [UInt8](repeating: 0, count: InputEventDecoder.size - 8)
            + withUnsafeBytes(of: kind) { Array($0) } + withUnsafeBytes(of: code) { Array($0) }
            + withUnsafeBytes(of: value) { Array($0) }
    }

    @Test func `presses and releases of keys are decoded, for any split of the bytes`() {
        let bytes =
            event(4, 4, 30) + event(1, 2, 1) + event(0, 0, 0) + event(1, 2, 2) + event(1, 2, 0)
            + event(0, 3, 0) + event(1, 28, 1)
        for size in [1, 5, 24, 200] {
            var decoder = InputEventDecoder()
            var events: [InputEvent] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                events += decoder.add(bytes[start..<min(start + size, bytes.count)])
            }
            #expect(events == [.press(2), .release(2), .lost, .press(28)])
        }
    }

    @Test func `keys have the names of the kernel`() {
        #expect(KeyNames.code(of: "KEY_1") == 2)
        #expect(KeyNames.code(of: "KEY_ENTER") == 28)
        #expect(KeyNames.code(of: "BTN_LEFT") == 0x110)
        #expect(KeyNames.code(of: "300") == 300)
        #expect(KeyNames.code(of: "KEY_NONE") == nil)
        #expect(KeyNames.name(of: 2) == "KEY_1")
    }
}
