import FlowAnalysis
import GameFlow
import GameFlowTesting
import ShippedFlows
import Testing
import Timers

/// The sentences that a failed test shows.
@Suite struct DescriptionTests {
    @Test func `a finding describes itself as gamectl lint prints it`() {
        #expect(
            "\(Finding.deadEnd("c"))" == "deadEnd: c has no exit and no timer, and is not final")
        #expect(
            "\([Finding.deadEvent("go")])"
                == "[deadEvent: no state takes go, with any sample of its arguments]")
        #expect("\(Finding.incomplete("a\u{1B}"))" == "incomplete: a\\u001b")
    }

    @Test func `a race describes itself as gamectl races prints it`() throws {
        let findings = Permissions().races(withEvents: true)
        let race = try #require(findings.first?.race)
        let text = "\(race)"
        #expect(text.split(separator: "\n").count == 4, "\(text)")
        #expect(text.hasPrefix("pushNotificationsDisplay, 1m: "), "\(text)")
        #expect(text.contains("  daemon  ") && text.contains("  other   "), "\(text)")
        #expect("\(findings[0])" == text)
        let move = try #require(race.path.first)
        #expect("\(move)" == "go to=pushNotificationsAsk", "\(move)")
    }

    @Test func `a wait is described with its duration`() throws {
        let path = try #require(Paths(Exploration(AnyFlow(Startup()))).shortestInMoves(to: "error"))
        #expect(path.moves.map { "\($0)" } == ["launchTimedOut after 5s"])
        #expect("\(Move.linger(.seconds(5)))" == "wait 5s")
    }

    @Test func `lint and races say what they have not searched`() {
        #expect(Game().lint(moves: 50).contains { $0.isIncomplete })
        #expect(Game().lint(moves: 50, allowingIncomplete: true) == [])
        #expect(!Game().races(moves: 50).isEmpty)
        #expect(Game().races(moves: 50).allSatisfy { $0.race == nil })
        #expect(Game().races(moves: 50, allowingIncomplete: true).isEmpty)
    }
}
