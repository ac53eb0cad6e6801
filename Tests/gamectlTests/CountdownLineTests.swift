import Testing

@testable import gamectl

struct CountdownLineTests {
    private func line(_ timers: String, moves: Bool = true) throws -> CountdownLine {
        let status = try SampleReplies.value(SampleReplies.status(timers: timers))
        return try CountdownLine(status, toldMs: 5000, moves: moves)
    }

    @Test func `on the real clock it moves by itself, down to nothing`() throws {
        let line = try line(SampleReplies.timer(72_000))
        #expect(line.text(atMs: 5000) == "main · playingLevel  timeUp ▕██████████░░░▏ 1:12 of 1:30")
        #expect(
            line.text(atMs: 65_000) == "main · playingLevel  timeUp ▕██░░░░░░░░░░░▏ 0:12 of 1:30")
        #expect(
            line.text(atMs: 99_000) == "main · playingLevel  timeUp ▕░░░░░░░░░░░░░▏ 0:00 of 1:30")
        #expect(line.text(atMs: 0) == line.text(atMs: 5000))
    }

    @Test func `what is left is rounded up`() throws {
        #expect(try line(SampleReplies.timer(72_000)).text(atMs: 5001).hasSuffix("1:12 of 1:30"))
        #expect(try line(SampleReplies.timer(72_000)).text(atMs: 6000).hasSuffix("1:11 of 1:30"))
        #expect(try line(SampleReplies.timer(1)).text(atMs: 5000).contains("▕█░░"))
    }

    @Test func `virtual time stands still until it is told of`() throws {
        let line = try line(SampleReplies.timer(72_000), moves: false)
        #expect(line.text(atMs: 99_000) == line.text(atMs: 5000))
    }

    @Test func `a paused timer stands still`() throws {
        let line = try line(SampleReplies.timer(72_000, paused: true))
        #expect(line.text(atMs: 99_000).hasSuffix("1:12 of 1:30, paused"))
    }

    @Test func `it never is longer than the terminal is wide`() throws {
        let line = try line(SampleReplies.timer(72_000) + "," + SampleReplies.tick)
        for columns in [0, 1, 2, 20, 40, 59, 60, 61, 200] {
            #expect(line.text(atMs: 5000, columns: columns).count <= max(1, columns))
        }
    }

    @Test func `on a narrow terminal the time that is left is shown, and the bar is not`() throws {
        let line = try line(SampleReplies.timer(72_000) + "," + SampleReplies.tick)
        let wide = line.text(atMs: 0, columns: 200)
        let narrow = line.text(atMs: 0, columns: wide.count - 1)
        #expect(wide.contains("▕") && wide.contains("1:12 of 1:30"))
        #expect(!narrow.contains("▕") && narrow.hasSuffix("1:12 of 1:30"))
    }

    @Test func `a beat tells where the session is`() throws {
        let beat = """
            {"session":"main","from":{"state":"a","data":{}},"to":{"state":"b","data":{}},\
            "timers":[\(SampleReplies.timer(90_000))]}
            """
        let line = try CountdownLine(SampleReplies.value(beat), toldMs: 0, moves: true)
        #expect(line.text(atMs: 0) == "main · b  timeUp ▕█████████████▏ 1:30 of 1:30")
    }

    @Test(arguments: [
        (-5, 0), (5, 0), (5, -5), (9_007_199_254_740_991, -9_007_199_254_740_991),
        (-9_007_199_254_740_991, 9_007_199_254_740_991), (90, 3),
    ])
    func `no numbers are too odd to be drawn`(remaining: Int, total: Int) throws {
        let odd = """
            {"fires":"t","kind":"countdown","remainingMs":\(remaining),"totalMs":\(total),\
            "paused":false}
            """
        let fact = try TimerFact(SampleReplies.value(odd))
        #expect(fact.bar(fact.remaining(after: 7)).count == 15)
        _ = try line(odd).text(atMs: .max)
    }

    @Test func `lengths are told as clocks tell them`() {
        #expect(ClockText.length(0) == "0:00")
        #expect(ClockText.length(71_001) == "1:12")
        #expect(ClockText.length(3_723_000) == "1:02:03")
        #expect(ClockText.length(90_061_000) == "1d 1:01:01")
        #expect(ClockText.length(.max).isEmpty == false)
        #expect(ClockText.sinceZero(90_005) == "0:01:30.005")
    }
}
