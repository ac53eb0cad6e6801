import Testing

@testable import GamectlTool

struct CountdownLineTests {
    /// The line for a status that was received at 5 s and has these timers. `decreases` says whether the time left decreases by
    /// itself; it is false on the virtual clock.
    private func line(_ timers: String, decreases: Bool = true) throws -> CountdownLine {
        let status = try SampleReplies.value(SampleReplies.status(timers: timers))
        return try CountdownLine(status, receivedMs: 5000, decreases: decreases)
    }

    @Test func `on the real clock the time left decreases to zero`() throws {
        let line = try line(SampleReplies.timeUp(remainingMs: 72_000))
        #expect(line.text(atMs: 5000) == "main · playingLevel  timeUp ▕██████████░░░▏ 1:12 of 1:30")
        #expect(
            line.text(atMs: 65_000) == "main · playingLevel  timeUp ▕██░░░░░░░░░░░▏ 0:12 of 1:30")
        #expect(
            line.text(atMs: 99_000) == "main · playingLevel  timeUp ▕░░░░░░░░░░░░░▏ 0:00 of 1:30")
        #expect(line.text(atMs: 0) == line.text(atMs: 5000))
    }

    @Test func `the time left is rounded up`() throws {
        #expect(
            try line(SampleReplies.timeUp(remainingMs: 72_000)).text(atMs: 5001).hasSuffix(
                "1:12 of 1:30"))
        #expect(
            try line(SampleReplies.timeUp(remainingMs: 72_000)).text(atMs: 6000).hasSuffix(
                "1:11 of 1:30"))
        #expect(try line(SampleReplies.timeUp(remainingMs: 1)).text(atMs: 5000).contains("▕█░░"))
    }

    @Test func `on the virtual clock the time left does not change`() throws {
        let line = try line(SampleReplies.timeUp(remainingMs: 72_000), decreases: false)
        #expect(line.text(atMs: 99_000) == line.text(atMs: 5000))
    }

    @Test func `a paused timer keeps its time left`() throws {
        let line = try line(SampleReplies.timeUp(remainingMs: 72_000, paused: true))
        #expect(line.text(atMs: 99_000).hasSuffix("1:12 of 1:30, paused"))
    }

    @Test func `the line fits into the terminal`() throws {
        let line = try line(SampleReplies.timeUp(remainingMs: 72_000) + "," + SampleReplies.tick)
        for columns in [0, 1, 2, 20, 40, 59, 60, 61, 200] {
            #expect(line.text(atMs: 5000, columns: columns).count <= max(1, columns))
        }
    }

    @Test func `a narrow terminal shows the time left without a bar`() throws {
        let line = try line(SampleReplies.timeUp(remainingMs: 72_000) + "," + SampleReplies.tick)
        let wide = line.text(atMs: 0, columns: 200)
        let narrow = line.text(atMs: 0, columns: wide.count - 1)
        #expect(wide.contains("▕") && wide.contains("1:12 of 1:30"))
        #expect(!narrow.contains("▕") && narrow.hasSuffix("1:12 of 1:30"))
    }

    @Test func `follow shows the state with its data, and below it the clock`() throws {
        let line = try line(SampleReplies.tick + "," + SampleReplies.timeUp(remainingMs: 72_000))
        #expect(
            line.twoLines(atMs: 6000, columns: 80) == [
                "main · playingLevel  episode=1 level=3", "timeUp ▕██████████░░░▏ 1:11 of 1:30",
            ])
        #expect(
            line.twoLines(atMs: 6000, columns: 10) == ["main · pl…", "timeUp ▕█…"])
        let pendulum = try self.line(SampleReplies.tick)
        #expect(pendulum.twoLines(atMs: 0, columns: 80).last == "no timer")
    }

    @Test func `the clock of follow is the timer that the players see`() throws {
        let timers =
            SampleReplies.timeUp(remainingMs: 72_000)
            + #",{"fires":"bell","kind":"countdown","remainingMs":9000,"totalMs":9000,"paused":false}"#
        let status = SampleReplies.status(timers: timers).dropLast() + #","clock":"bell"}"#
        let line = try CountdownLine(
            SampleReplies.value(String(status)), receivedMs: 0, decreases: true)
        let clock = line.twoLines(atMs: 0, columns: 80)[1]
        #expect(clock.hasPrefix("bell ") && clock.contains("  timeUp "))
        #expect(!line.twoLines(atMs: 0, columns: 40)[1].contains("timeUp"))
    }

    @Test func `a beat contains the session's state`() throws {
        let beat = """
            {"session":"main","from":{"state":"a","data":{}},"to":{"state":"b","data":{}},\
            "timers":[\(SampleReplies.timeUp(remainingMs: 90_000))]}
            """
        let line = try CountdownLine(SampleReplies.value(beat), receivedMs: 0, decreases: true)
        #expect(line.text(atMs: 0) == "main · b  timeUp ▕█████████████▏ 1:30 of 1:30")
    }

    @Test(arguments: [
        (-5, 0), (5, 0), (5, -5), (9_007_199_254_740_991, -9_007_199_254_740_991),
        (-9_007_199_254_740_991, 9_007_199_254_740_991), (90, 3),
    ])
    func `a bar of fixed width is drawn for any numbers`(remaining: Int, total: Int) throws {
        let timer = """
            {"fires":"t","kind":"countdown","remainingMs":\(remaining),"totalMs":\(total),\
            "paused":false}
            """
        let status = try TimerStatus(SampleReplies.value(timer))
        // Thirteen cells and the two ends.
        #expect(status.bar(status.remaining(after: 7)).count == 15)
        _ = try line(timer).text(atMs: .max)
    }

    @Test func `durations have the form of clocks`() {
        #expect(ClockText.length(0) == "0:00")
        #expect(ClockText.length(71_001) == "1:12")
        #expect(ClockText.length(3_723_000) == "1:02:03")
        #expect(ClockText.length(90_061_000) == "1d 1:01:01")
        #expect(ClockText.length(.max).isEmpty == false)
        #expect(ClockText.sinceZero(90_005) == "0:01:30.005")
    }
}
