import Glibc
import Testing

@testable import GamedServer

/// The writer of the log, at a pipe that is not read for a while.
@Suite struct LogWriterTests {
    private let (output, input): (Int32, Int32)

    init() {
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        (output, input) = (ends[0], ends[1])
    }

    private func read(_ count: Int) -> String {
        var bytes = [UInt8](repeating: 0, count: count)
        var got = 0
        while got < count {
            let more = bytes.withUnsafeMutableBytes {
                Glibc.read(output, $0.baseAddress! + got, count - got)
            }
            guard more > 0 else { break }
            got += more
        }
        return String(decoding: bytes[..<got], as: UTF8.self)
    }

    @Test func `lines are written in order`() {
        let writer = LogWriter(input) { _ in [] }
        for number in 1...9 { writer.write(Array("line \(number)\n".utf8)) }
        writer.finish(within: .seconds(10))
        #expect(read(63).split(separator: "\n").last == "line 9")
    }

    @Test func `lines wait for a full pipe, then are dropped, and their number is logged`() {
        let writer = LogWriter(input, limit: 1000) { Array("dropped: \($0)\n".utf8) }
        let line = Array(String(repeating: "x", count: 99).utf8) + [0x0A]
        // The pipe holds 64 KiB, and the writer 1000 bytes; it drops further lines.
        for _ in 0..<5000 { writer.write(line) }
        writer.finish(within: .milliseconds(1))
        var (text, written, dropped) = ("", 0, 0)
        while written + dropped < 5000 {
            let byte = read(1)
            guard byte == "\n" else {
                text += byte
                continue
            }
            if text.hasPrefix("dropped: ") {
                dropped += Int(text.dropFirst(9)) ?? 0
            } else {
                written += 1
            }
            text = ""
        }
        #expect(written + dropped == 5000 && dropped > 3000)
        writer.finish(within: .seconds(10))
    }
}
