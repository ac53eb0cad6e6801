import RPC
import TestSupport
import Testing

@Suite struct LineBufferTests {
    private func text(_ line: LineBuffer.Line?) -> String? {
        switch line {
        case .line(let bytes): String(decoding: bytes, as: UTF8.self)
        case .tooLong(let bytes): "too long: " + String(decoding: bytes.prefix(3), as: UTF8.self)
        case nil: nil
        }
    }

    private func feed(_ buffer: inout LineBuffer, _ text: String) {
        Array(text.utf8).withUnsafeBytes { buffer.append($0) }
    }

    @Test func `lines are assembled from any split of the bytes`() {
        let lines = (0..<200).map { String(repeating: "x", count: $0 * 37 % 500) + "\($0)" }
        let allBytes = lines.map { $0 + ($0.count % 2 == 0 ? "\n" : "\r\n") }.joined()
        for seed in seeds(50) {
            var random = SeededRandom(seed)
            var buffer = LineBuffer()
            var unread = Array(allBytes.utf8)[...]
            var assembled: [String] = []
            while !unread.isEmpty {
                let piece = Array(unread.prefix(1 + random.below(3000)))
                unread = unread.dropFirst(piece.count)
                piece.withUnsafeBytes { buffer.append($0) }
                while let line = text(buffer.next()) { assembled.append(line) }
            }
            #expect(assembled == lines, "seed \(seed)")
            #expect(!buffer.hasRemainder)
        }
    }

    @Test
    func
        `a line may have the limit's length, one more byte is too long, and the next line is complete`()
    {
        var buffer = LineBuffer()
        let longestLine = String(repeating: "a", count: LineBuffer.limit)
        feed(&buffer, longestLine + "\n" + longestLine + "a\n" + "next\n" + longestLine + "\r\n")
        #expect(text(buffer.next()) == longestLine)
        #expect(text(buffer.next()) == "too long: aaa")
        #expect(text(buffer.next()) == "next")
        #expect(text(buffer.next()) == longestLine)
        #expect(text(buffer.next()) == nil)
    }

    @Test func `a line of 10 MiB gets one error and is dropped`() {
        var buffer = LineBuffer()
        var lines: [String] = []
        for _ in 0..<160 {
            feed(&buffer, String(repeating: "{", count: 65_536))
            while let line = text(buffer.next()) { lines.append(line) }
        }
        feed(&buffer, "tail\nping\n")
        while let line = text(buffer.next()) { lines.append(line) }
        #expect(lines == ["too long: {{{", "ping"])
    }

    @Test func `the buffer keeps the beginning of a line that is too long, without leading blanks`()
    {
        var buffer = LineBuffer()
        let long =
            String(repeating: " ", count: 70) + "send " + String(repeating: "x", count: 70_000)
        feed(&buffer, long + "\n" + String(repeating: "\t", count: 70_000))
        #expect(text(buffer.next()) == "too long: sen")
        #expect(text(buffer.next()) == "too long: ")
    }

    @Test func `an unfinished line can be read before its end has arrived`() {
        var buffer = LineBuffer()
        feed(&buffer, "one\ntw")
        #expect(buffer.hasLine)
        #expect(text(buffer.next()) == "one")
        #expect(!buffer.hasLine)
        #expect(text(buffer.next()) == nil)
        #expect(buffer.hasRemainder)
        #expect(String(decoding: buffer.remainder, as: UTF8.self) == "tw")
        feed(&buffer, "o\n")
        #expect(text(buffer.next()) == "two")
    }
}
