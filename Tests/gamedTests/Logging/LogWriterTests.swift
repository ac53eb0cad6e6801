import Glibc
import Parts
import Testing
import Timers

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

    private func entry(_ message: String) -> LogEntry {
        LogEntry(.info, .start, message, at: .zero, LogEntry.CodePlace("file", 1, "function"))
    }

    private var destination: LogLines { LogLines(writeEnd, .plain) }

    @Test func `entries are written in order`() {
        let writer = LogWriter(destination) { _ in entry("") }
        for number in 1...9 { writer.write(entry("line \(number)")) }
        writer.finish(within: .seconds(10))
        // The nine lines have 14 bytes each.
        #expect(read(126).split(separator: "\n").last == "gamed: line 9")
    }

    @Test
    func `entries that exceed the pipe and the buffer are dropped, and the log says how many`() {
        let writer = LogWriter(destination, limit: 1000) { entry("dropped: \($0)") }
        let line = entry(String(repeating: "x", count: 99))
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
            if text.hasPrefix("gamed: dropped: ") {
                droppedCount += Int(text.dropFirst("gamed: dropped: ".count)) ?? 0
            } else {
                writtenCount += 1
            }
            text = ""
        }
        #expect(writtenCount + droppedCount == 5000 && droppedCount > 3000)
        writer.finish(within: .seconds(10))
    }
}
