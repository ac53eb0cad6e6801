import Support
import Testing

@Suite struct DurationTextTests {
    @Test(arguments: [
        ("250ms", 250), ("30s", 30_000), ("5m", 300_000), ("1h30m", 5_400_000), ("1h", 3_600_000),
        ("0s", 0),
        ("1m1ms", 60_001), ("2d", 172_800_000), ("90s", 90_000), ("3653d", 315_619_200_000),
    ])
    func `durations are read as people write them`(_ text: String, _ ms: Int64) {
        #expect(DurationText.read(text) == .milliseconds(ms))
    }

    @Test(arguments: [
        "", "3", "s", "-3s", "3 s", "1.5s", "3x", "3S", "1m1h", "1s1s", "3654d",
        "99999999999999999999s", "1h-3m",
        "315619200001ms", "٣s",
    ])
    func `anything else is none`(_ text: String) {
        #expect(DurationText.read(text) == nil)
    }

    @Test(arguments: ["0s", "250ms", "30s", "1m30s", "1h30m", "2d1ms"])
    func `durations are written as they are read`(_ text: String) throws {
        #expect(DurationText.write(try #require(DurationText.read(text))) == text)
    }

    @Test func `what is written is rounded up to milliseconds, and saturates`() {
        #expect(DurationText.write(.nanoseconds(1)) == "1ms")
        #expect(DurationText.write(.seconds(-5)) == "0s")
        #expect(DurationText.write(.seconds(Int64.max)) == "104166d16h")
    }
}
