import Glibc
import Parts
import Testing

@testable import GamedServer

/// The writer of the log, which writes to a pipe that is not read for a while.
@Suite struct LogWriterTests {
    private let (readEnd, writeEnd): (Int32, Int32)

    init() {
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    /// Reads `count` bytes from the pipe, or fewer at its end.
    private func read(_ count: Int) -> String {
        var bytes = [UInt8](repeating: 0, count: count)
        var total = 0
        while total < count {
            let received = bytes.withUnsafeMutableBytes {
                Glibc.read(readEnd, $0.baseAddress! + total, count - total)
            }
            guard received > 0 else { break }
            total += received
        }
        return String(decoding: bytes[..<total], as: UTF8.self)
    }

    @Test func `lines are written in order`() {
        let writer = LogWriter(writeEnd) { _ in [] }
        for number in 1...9 { writer.write(Array("line \(number)\n".utf8)) }
        writer.finish(within: .seconds(10))
        // The nine lines have 7 bytes each.
        #expect(read(63).split(separator: "\n").last == "line 9")
    }

    @Test func `lines that exceed the pipe and the buffer are dropped, and the log says how many`()
    {
        let writer = LogWriter(writeEnd, limit: 1000) { Array("dropped: \($0)\n".utf8) }
        let line = Array(String(repeating: "x", count: 99).utf8) + [0x0A]
        // The pipe holds 64 KiB, and the buffer of the writer 1000 bytes. The writer drops further lines.
        for _ in 0..<5000 { writer.write(line) }
        writer.finish(within: .milliseconds(1))
        var (text, writtenCount, droppedCount) = ("", 0, 0)
        while writtenCount + droppedCount < 5000 {
            let byte = read(1)
            guard byte == "\n" else {
                text += byte
                continue
            }
            if text.hasPrefix("dropped: ") {
                droppedCount += Int(text.dropFirst("dropped: ".count)) ?? 0
            } else {
                writtenCount += 1
            }
            text = ""
        }
        #expect(writtenCount + droppedCount == 5000 && droppedCount > 3000)
        writer.finish(within: .seconds(10))
    }
}
