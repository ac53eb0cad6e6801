import JSONCoding
import Testing
import Timers

@testable import RPC

@Suite struct TimestampTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"), (951_782_400_123, "2000-02-29T00:00:00.123Z"),
        (1_795_167_484_983, "2026-11-20T09:38:04.983Z"),
        (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        (7_889_400_000_000, "2220-01-03T12:00:00.000Z"),
    ])
    func `instants are written in the form of RFC 3339`(_ ms: Int64, _ text: String) {
        var writer = JSONWriter()
        Timestamp.write(Instant(nanoseconds: ms * 1_000_000), to: &writer)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == text)
    }

    @Test(arguments: [Int64.min, -86_400_000_000_001, -1_000_000, -1])
    func `an instant before the clock's zero is written as zero`(_ nanoseconds: Int64) {
        var writer = JSONWriter()
        Timestamp.write(Instant(nanoseconds: nanoseconds), to: &writer)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == "1970-01-01T00:00:00.000Z")
    }
}
