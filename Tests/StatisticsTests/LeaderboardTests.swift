import GameFlow
import Sessions
import Testing
import Timers

@testable import Statistics

@Suite struct LeaderboardTests {
    /// Games of `Hunt`: `begin` leads from `lobby` to `search`, and `find` from there to `won`; `ask` leads from `search` to
    /// `riddle`, and `solve` back.
    private let games = RecordedGames()

    private func leaderboard(
        endState: String? = nil, timedStates: [String] = [],
        limits: Leaderboard.LeaderboardLimits = .init()
    ) throws -> Leaderboard {
        let flow = games.sessions.flows[0]
        let leaderboard = Leaderboard(
            .init(flow: "hunt", end: endState, timed: timedStates), limits: limits
        ) { $0.flow == "hunt" ? flow : nil }
        for record in games.records { try leaderboard.add(record) }
        return leaderboard
    }

    /// Each row as `rank name seconds`; the name is `-` if the game has none.
    private func lines(_ leaderboard: Leaderboard, _ filter: Leaderboard.Filter = .init())
        -> [String]
    {
        leaderboard.rows(by: .time, filter, limit: 100).map {
            "\($0.rank) \($0.name ?? "-") \(Double($0.value) / 1000)"
        }
    }

    private func team(_ name: String) -> [Member] { [Member("team", name)] }

    @Test func `the shortest time is first, and equal times have one rank`() throws {
        try games.play("a", secondsInSearch: 70, labels: team("Owls"))
        try games.play("a", secondsInSearch: 50, labels: team("Cats"))
        try games.play("b", secondsInSearch: 70, labels: team("Ants"))
        try games.play("b", secondsInSearch: 90)
        #expect(
            lines(try leaderboard()) == ["1 Cats 50.0", "2 Owls 70.0", "2 Ants 70.0", "4 - 90.0"])
        #expect(try leaderboard().rows(by: .time, .init(), limit: 1).count == 1)
        #expect(try leaderboard().rows(by: .time, .init(), limit: 0).isEmpty)
    }

    @Test func `the time before the first move and after the end does not count`() throws {
        try games.open("a", labels: team("Owls"))
        try games.wait(500)
        try games.send("begin", "a")
        try games.wait(10)
        try games.send("ask", "a")
        try games.wait(5)
        try games.send("solve", "a")
        try games.wait(20)
        try games.send("find", "a")
        try games.wait(900)
        #expect(lines(try leaderboard()) == ["1 Owls 35.0"])
        #expect(lines(try leaderboard(timedStates: ["search"])) == ["1 Owls 30.0"])
        #expect(
            lines(try leaderboard(timedStates: ["search", "riddle"])) == ["1 Owls 35.0"])
        #expect(lines(try leaderboard(timedStates: ["nosuch"])) == ["1 Owls 0.0"])
        #expect(lines(try leaderboard(endState: "riddle")) == ["1 Owls 10.0"])
    }

    @Test func `a session that begins again from the first state plays another game`() throws {
        try games.open("a", labels: team("Owls"))
        for seconds in [30, 20] {
            try games.goto("lobby", "a")
            try games.wait(7)
            try games.send("begin", "a")
            try games.wait(seconds)
            try games.send("find", "a")
            try games.wait(60)
        }
        #expect(lines(try leaderboard()) == ["1 Owls 20.0", "2 Owls 30.0"])
    }

    @Test func `an end that was undone does not count, and downtime is not counted`() throws {
        try games.open("a")
        try games.send("begin", "a")
        try games.wait(10)
        try games.send("find", "a")
        #expect(lines(try leaderboard()) == ["1 - 10.0"])
        try games.undo("a")
        #expect(lines(try leaderboard()).isEmpty)
        try games.restart(after: 400)
        try games.wait(5)
        try games.send("find", "a")
        #expect(lines(try leaderboard()) == ["1 - 15.0"])
    }

    @Test func `a label that comes after the end counts, and filters leave games out`() throws {
        try games.play("a", secondsInSearch: 10)
        let afterFirstGame = games.sessions.now
        try games.open("b")
        try games.send("begin", "b")
        try games.wait(20)
        try games.send("find", "b")
        try games.label(team("Late"), "b")
        #expect(lines(try leaderboard()) == ["1 - 10.0", "2 Late 20.0"])
        #expect(lines(try leaderboard(), .init(since: afterFirstGame)) == ["1 Late 20.0"])
        #expect(lines(try leaderboard(), .init(without: "team")) == ["1 - 10.0"])
        let onlyB = Leaderboard.Filter { $0.text == "b" }
        #expect(lines(try leaderboard(), onlyB) == ["1 Late 20.0"])
    }

    @Test func `a leaderboard with a limit has the first rows of the whole one, in the same order`()
        throws
    {
        // Times of 0 to 22 s in a mixed order. Each occurs two or three times.
        for number in 0..<60 { try games.play("a", secondsInSearch: number * 37 % 23) }
        let leaderboard = try leaderboard()
        let all = leaderboard.rows(by: .time, .init(), limit: 100)
        #expect(all.count == 60)
        #expect(all.map(\.value) == all.map(\.value).sorted())
        for (one, next) in zip(all, all.dropFirst()) where one.value == next.value {
            #expect(one.at < next.at && one.rank == next.rank)
        }
        for limit in [1, 7, 59, 60] {
            #expect(leaderboard.rows(by: .time, .init(), limit: limit) == Array(all.prefix(limit)))
        }
    }

    @Test func `a game that is not over has no row`() throws {
        try games.open("a")
        try games.send("begin", "a")
        try games.close("a")
        #expect(lines(try leaderboard()).isEmpty)
    }

    @Test func `more games or open sessions than the limits are an error`() throws {
        var limits = Leaderboard.LeaderboardLimits()
        limits.games = 1
        try games.play("a", secondsInSearch: 1)
        #expect(lines(try leaderboard(limits: limits)).count == 1)
        try games.play("a", secondsInSearch: 1)
        #expect(throws: GameStatistics.LimitError(which: "leaderboardGames", limit: 1)) {
            try leaderboard(limits: limits)
        }
        limits = .init()
        limits.sessions = 1
        try games.open("a")
        #expect(throws: Never.self) { try leaderboard(limits: limits) }
        try games.open("b")
        #expect(throws: GameStatistics.LimitError(which: "leaderboardSessions", limit: 1)) {
            try leaderboard(limits: limits)
        }
    }

    @Test func `games of more bytes than the limit are an error`() throws {
        for number in 0..<40 { try games.play("s\(number)", secondsInSearch: 1) }
        var limits = Leaderboard.LeaderboardLimits()
        let bytes = try leaderboard(limits: limits).bytes
        #expect((20_000...40_000).contains(bytes), "\(bytes)")
        limits.bytes = bytes
        #expect(throws: Never.self) { try leaderboard(limits: limits) }
        limits.bytes = bytes - 1
        #expect(throws: GameStatistics.LimitError(which: "leaderboardBytes", limit: bytes - 1)) {
            try leaderboard(limits: limits)
        }
    }

    @Test func `a session with hundreds of games has the rows of all of them`() throws {
        for number in 0..<250 { try games.play("a", secondsInSearch: 300 - number) }
        let rows = try leaderboard().rows(by: .time, .init(), limit: 100)
        #expect(rows.map(\.value) == (51...150).map { $0 * 1000 })
    }

    @Test func `a question can be answered in parts`() throws {
        for number in 0..<100 { try games.play("s\(number)", secondsInSearch: number * 37 % 23) }
        let leaderboard = try leaderboard()
        let question = leaderboard.question(by: .time, .init(), limit: 50)
        var parts = 1
        while !question.work(while: { false }) { parts += 1 }
        #expect((5...10).contains(parts), "\(parts)")
        #expect(question.rows == leaderboard.rows(by: .time, .init(), limit: 50))
    }
}
