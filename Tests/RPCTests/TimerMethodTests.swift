import GameFlow
import RPC
import Testing

/// The method `timer`: shorten and set a timer, and pause all timers.
@Suite struct TimerMethodTests {
    @Test
    func `after shorten and set, a countdown's total is not less than its remaining time`() throws {
        let connection = try TestConnection()
        _ = connection.reply(to: "goto playingLevel episode=1 level=1")
        let short = connection.json("timer timeUp shorten by=30s")
        #expect(short["timers.0.remainingMs"] == .int(60_000))
        #expect(short["timers.0.totalMs"] == .int(90_000))
        // A countdown is never shortened to less than a millisecond.
        #expect(connection.json("timer timeUp shorten by=10m")["timers.0.remainingMs"] == .int(1))
        let set = connection.json("timer timeUp set to=2m")
        #expect(set["timers.0.remainingMs"] == .int(120_000))
        #expect(set["timers.0.totalMs"] == .int(120_000))
        #expect(connection.reply(to: "history limit=1").contains(#""action":"set","toMs":120000"#))
        connection.end()
    }

    @Test func `all timers are paused and resumed as one change`() throws {
        let connection = try TestConnection()
        _ = connection.reply(to: "goto playingLevel episode=1 level=1")
        let paused = connection.json("timer * pause")
        #expect(paused["seq"] == .int(3))
        #expect(paused["timers.0.paused"] == .bool(true))
        #expect(paused["timers.1.paused"] == .bool(true))
        // All timers are paused already, so this makes no change.
        #expect(connection.json("timer * pause")["seq"] == .int(3))
        #expect(connection.json("timer * resume")["timers.1.paused"] == .bool(false))
        #expect(connection.reply(to: "timer * restart").hasPrefix("ERR invalid"))
        connection.end()
    }

    @Test(arguments: [
        ("timer timeUp set", "to: missing"), ("timer timeUp set by=1s", "by: not with set"),
        ("timer timeUp shorten to=1s", "to: not with shorten"),
        ("timer timeUp shorten", "by: missing"), ("timer timeUp pause by=1s", "by: not with pause"),
    ])
    func `a duration is accepted only with actions that need one`(_ words: String, _ why: String)
        throws
    {
        let connection = try TestConnection()
        _ = connection.reply(to: "goto playingLevel episode=1 level=1")
        #expect(connection.json(words)["why"] == .string(why))
        connection.end()
    }
}
