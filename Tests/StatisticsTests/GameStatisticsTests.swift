import GameFlow
import Sessions
import Testing
import Timers

@testable import Statistics

@Suite struct GameStatisticsTests {
    /// Games of `Hunt`: `begin` leads from `lobby` to `search`, and `find` from there to `won`; `ask` leads from `search` to
    /// `riddle`, and `solve` back. After an hour in `search` the game is lost.
    private let games = RecordedGames()

    @Test func `a journal without rows has no flows`() throws {
        let report = try games.statistics().report(RecordedGames.flow(of:))
        #expect(report.flows.isEmpty)
        #expect(!report.hasRefusals)
    }

    @Test func `flows and states have their titles, if the played flow has some`() throws {
        try games.play("a", secondsInSearch: 60)
        let row = try #require(try games.row())
        #expect(row.title == "The hunt")
        #expect(row.states.map(\.title) == [nil, "In the wood"])
        #expect(row.outcomes.map(\.title) == [nil])
        let unknown = try games.statistics().report { _ in nil }
        #expect(unknown.flows.map(\.title) == [nil])
    }

    @Test func `games are counted by how they ended`() throws {
        try games.play("a", secondsInSearch: 60)
        try games.play("b", secondsInSearch: 70)
        // Lost, and not closed yet.
        try games.open("c")
        try games.send("begin", "c")
        try games.wait(3600)
        // Closed in the middle.
        try games.open("d")
        try games.close("d")
        // Still running.
        try games.open("e")
        let row = try #require(try games.row())
        #expect(row.games == 5)
        #expect(row.running == 1)
        #expect(row.unfinished == 1)
        #expect(
            row.outcomes == [
                .init(state: "won", title: nil, games: 2),
                .init(state: "lost", title: nil, games: 1),
            ])
        #expect(row.versions == ["1"])
    }

    @Test func `the median and the 90th percentile are times of recorded visits`() throws {
        for seconds in [50, 10, 40, 20, 30, 60, 70, 80, 90, 100] {
            try games.play("a", secondsInSearch: seconds)
        }
        let search = try #require(try games.times("search"))
        #expect(search.visits == 10)
        #expect(search.median == .seconds(50))
        #expect(search.p90 == .seconds(90))
        let lobby = try #require(try games.times("lobby"))
        #expect((lobby.visits, lobby.median, lobby.p90) == (10, .zero, .zero))
        // The time in a final state is not counted.
        #expect(try games.times("won") == nil)
    }

    @Test func `every entry begins a visit, and the present visit is not counted`() throws {
        try games.open("a")
        try games.wait(5)
        try games.send("begin", "a")
        try games.wait(10)
        try games.send("ask", "a")
        try games.wait(20)
        try games.send("solve", "a")
        try games.wait(30)
        let search = try #require(try games.times("search"))
        #expect((search.visits, search.median) == (1, .seconds(10)))
        #expect(try games.times("riddle")?.p90 == .seconds(20))
        try games.send("find", "a")
        let both = try #require(try games.times("search"))
        #expect((both.visits, both.median, both.p90) == (2, .seconds(10), .seconds(30)))
        #expect(try games.row()?.states.map(\.state) == ["lobby", "search", "riddle"])
    }

    @Test func `a visit that an undo took back does not count, and the visit before it goes on`()
        throws
    {
        try games.open("a")
        try games.send("begin", "a")
        try games.wait(10)
        try games.send("ask", "a")
        try games.wait(7)
        try games.undo("a")
        try games.wait(3)
        try games.send("find", "a")
        #expect(try games.times("riddle") == nil)
        let search = try #require(try games.times("search"))
        #expect((search.visits, search.median) == (1, .seconds(13)))
        #expect(try games.row()?.outcomes == [.init(state: "won", title: nil, games: 1)])
    }

    @Test func `an undo over several visits takes back all these visits`() throws {
        try games.open("a")
        try games.send("begin", "a")
        try games.wait(10)
        for event in ["ask", "solve", "ask"] {
            try games.send(event, "a")
            try games.wait(5)
        }
        try games.undo("a", toAfterSeq: 2)
        try games.wait(1)
        try games.send("find", "a")
        #expect(try games.times("riddle") == nil)
        let search = try #require(try games.times("search"))
        #expect((search.visits, search.median) == (1, .seconds(11)))
    }

    @Test func `an undo of a step without an entry leaves the visit as it is`() throws {
        try games.open("a")
        try games.send("begin", "a")
        try games.wait(4)
        try games.pauseTimer("a")
        try games.wait(4)
        try games.undo("a")
        try games.wait(4)
        try games.send("find", "a")
        let search = try #require(try games.times("search"))
        #expect((search.visits, search.median) == (1, .seconds(12)))
    }

    @Test func `the time in which the daemon was down is not part of a visit`() throws {
        try games.open("a")
        try games.send("begin", "a")
        try games.wait(10)
        try games.restart(after: 1000)
        try games.wait(20)
        try games.send("find", "a")
        #expect(try games.times("search")?.median == .seconds(30))
    }

    @Test func `overrides and hints are counted`() throws {
        try games.open("a")
        try games.send("begin", "a")
        try games.pauseTimer("a")
        try games.goto("riddle", "a")
        try games.undo("a")
        try games.say("Look behind the mirror", "a")
        try games.say("", "a")
        try games.label([Member("team", "Owls")], "a")
        let row = try #require(try games.row())
        #expect(row.tally == GameTally(gotos: 1, timers: 1, undos: 1, hints: 1, refusals: 0))
    }

    @Test func `an accepted event that the flow calls a hint is counted`() throws {
        try games.open("a")
        // `lobby` refuses the hint.
        #expect(throws: RequestError.self) { try games.send("ask", "a") }
        try games.send("begin", "a")
        try games.send("ask", "a")
        #expect(try #require(try games.row()).tally.hints == 1)
    }

    @Test func `refusals are counted if they are recorded`() throws {
        try games.open("a")
        #expect(throws: RequestError.self) { try games.send("find", "a") }
        #expect(try games.row()?.tally.refusals == 0)
        games.sessions.auditsRefusals = true
        #expect(throws: RequestError.self) { try games.send("find", "a") }
        #expect(throws: RequestError.self) { try games.send("solve", "a") }
        #expect(try games.row()?.tally.refusals == 2)
        #expect(try games.statistics().report(RecordedGames.flow(of:)).hasRefusals)
    }

    @Test func `selecting games without a label leaves out games that get the label at any time`()
        throws
    {
        try games.play("a", secondsInSearch: 60)
        try games.play("a", secondsInSearch: 1, labels: [Member("test", "yes")])
        try games.open("b")
        try games.wait(1)
        try games.label([Member("test", "again")], "b")
        #expect(try games.row()?.games == 3)
        let row = try #require(try games.row(.init(without: "test")))
        #expect((row.games, row.running) == (1, 0))
        #expect(try games.times("search", .init(without: "test"))?.visits == 1)
        // A label that was removed does not count.
        try games.label([Member("test", "")], "b")
        #expect(try games.row(.init(without: "test"))?.games == 2)
    }

    @Test func `games that were opened before an instant are left out completely`() throws {
        try games.open("early")
        try games.send("begin", "early")
        try games.wait(100)
        let since = games.sessions.now
        try games.play("late", secondsInSearch: 5)
        try games.send("find", "early")
        let selection = GameStatistics.Selection(since: since)
        let row = try #require(try games.row(selection))
        #expect((row.games, row.outcomes.map(\.games)) == (1, [1]))
        #expect(try games.times("search", selection)?.p90 == .seconds(5))
    }

    @Test func `games of another flow are left out`() throws {
        try games.play("a", secondsInSearch: 5)
        #expect(try games.row(.init(flow: "hunt"))?.games == 1)
        #expect(try games.row(.init(flow: "quiz")) == nil)
    }

    @Test
    func
        `if the first rows of a game were removed, its visits count from the first recorded entry`()
        throws
    {
        try games.open("a")
        try games.send("begin", "a")
        try games.wait(10)
        try games.send("ask", "a")
        try games.wait(20)
        try games.send("solve", "a")
        var statistics = GameStatistics(hintEvents: RecordedGames.hintEvents(of:))
        for record in games.records.dropFirst(2) { try statistics.add(record) }
        let row = try #require(statistics.report(RecordedGames.flow(of:)).flows.first)
        #expect((row.games, row.running) == (1, 1))
        #expect(row.states.map(\.state) == ["riddle"])
    }

    @Test func `exceeding a limit is an error with the limit's name`() throws {
        for name in ["a", "b", "c"] { try games.open(name) }
        for name in ["a", "b", "c"] { try games.send("begin", name) }
        for (which, limits) in Self.limits {
            let error = #expect(throws: GameStatistics.LimitError.self) {
                _ = try games.statistics(limits: limits)
            }
            #expect(error == GameStatistics.LimitError(which: which, limit: 1))
        }
        // Three games with one completed visit each, in two states, reach these limits and do not exceed them.
        var exact = GameStatistics.StatisticsLimits()
        (exact.visits, exact.games, exact.states) = (3, 3, 2)
        #expect(throws: Never.self) { try games.statistics(limits: exact) }
    }

    /// For each limit, its name and a set of limits. In this set, the limit is 1, and all other limits have their defaults.
    private static var limits: [(String, GameStatistics.StatisticsLimits)] {
        var (visitLimits, gameLimits, stateLimits) = (
            GameStatistics.StatisticsLimits(), GameStatistics.StatisticsLimits(),
            GameStatistics.StatisticsLimits()
        )
        (visitLimits.visits, gameLimits.games, stateLimits.states) = (1, 1, 1)
        return [
            ("statisticsVisits", visitLimits), ("statisticsGames", gameLimits),
            ("statisticsStates", stateLimits),
        ]
    }
}
