import FlowAnalysis
import GameFlow
import Sessions
import ShippedFlows
import TestSupport
import Testing
import Timers

@Suite struct ScenarioRunTests {
    private func run(_ text: String, _ flows: [AnyFlow] = AnyFlow.shipped()) throws -> ScenarioRun {
        let reader = ScenarioReader(Array(text.utf8), file: "t.scenario", flows: flows)
        #expect(reader.errors.map(\.sentence) == [])
        return ScenarioRun(try #require(reader.scenarios.first))
    }

    private static let openPlaying = "open game state=playingLevel episode=1 level=3\n"

    @Test(arguments: [
        "send pause\nexpect paused remainingMs=90000\nexpect effects presentPause",
        "after 89s\nexpect playingLevel level=3\nexpect timer timeUp 1s\nexpect no effects",
        "pause timeUp\nafter 1h\nexpect timer timeUp 90s paused\nexpect timer tick 1s",
        "pause *\nafter 1h\nexpect timer timeUp 90s paused\nexpect timer tick 1s paused",
        "pause *\nafter 1h\nresume *\nafter 30s\nexpect timer timeUp 60s",
        "extend timeUp 30s\nexpect timer timeUp 2m", "after 1500ms\nexpect timer tick 500ms",
        "after 10s\nrestart timeUp\nexpect timer timeUp 90s",
        "expect accepts pause, completeLevel, controllerLost, returnHome",
        "refuse everything but pause, completeLevel, controllerLost, returnHome with noTransition",
        "refuse timeUp with forbidden", "refuse nosuch x=1 with unknownEvent",
        "refuse completeLevel with invalid", "refuse completeLevel score=\"1\" with invalid",
        "goto help\nexpect help\nexpect no effects\nexpect no timer timeUp",
        "expect state playingLevel episode=1 level=3\nexpect deferred 0",
    ])
    func `a correct scenario passes`(_ steps: String) throws {
        #expect(try run(Self.openPlaying + steps).failure == nil)
    }

    @Test(arguments: TimerOperation.Action.allCases)
    func `each timer action is a step`(_ action: TimerOperation.Action) throws {
        let step = "\(action.rawValue) timeUp\(action.needsDuration ? " 1s" : "")"
        #expect(try run("\(Self.openPlaying)\n\(step)\nexpect playingLevel").failure == nil)
    }

    @Test(arguments: [
        ("expect paused", "paused", "playingLevel episode=1 level=3"),
        ("expect playingLevel level=4", "playingLevel level=4", "playingLevel episode=1 level=3"),
        ("expect timer timeUp 1s", "timer timeUp 1s", "timer timeUp 1m30s"),
        ("expect timer timeUp 90s paused", "timer timeUp 1m30s paused", "timer timeUp 1m30s"),
        ("expect timer idle 1s", "timer idle 1s", "playingLevel has timeUp, tick"),
        ("expect no timer timeUp", "no timer timeUp", "timer timeUp 1m30s"),
        ("expect effects presentScore", "effects presentScore", "effects nothing"),
        (
            "expect accepts pause", "pause accepted",
            "completeLevel, returnHome, pause, controllerLost accepted"
        ),
        ("expect deferred 1", "1 deferred", "0 deferred"),
        (
            "send resume", "resume is taken",
            "playingLevel refused it: noTransition; it accepts completeLevel, returnHome, pause, controllerLost"
        ),
        (
            "send completeLevel score=-1", "completeLevel is taken",
            "playingLevel refused it: invalid: score: not within 0…1000000"
        ),
        (
            "refuse pause with noTransition", "pause is refused with noTransition",
            "playingLevel took it, now paused"
        ),
        (
            "refuse resume with finished", "resume is refused with finished",
            "refused with noTransition"
        ),
        (
            "refuse everything but pause with noTransition",
            "completeLevel score=1 is refused with noTransition",
            "playingLevel took it, now finishedLevel"
        ),
        (
            "goto playingLevel episode=9 level=1", "goto playingLevel episode=9 level=1",
            "invalid: episode: not in the catalog"
        ),
        ("pause idle", "a timer idle", "playingLevel has timeUp, tick"),
        ("extend tick 1s", "extend tick", "a pendulum has no end to move"),
    ])
    func `a failure has the expected and the actual value`(
        _ step: String, _ expected: String, _ actual: String
    ) throws {
        let run = try run(Self.openPlaying + "\n" + step + "\nexpect help")
        let failure = try #require(run.failure)
        #expect(failure.line == 3)
        #expect(failure.expected == expected)
        #expect(failure.was == actual)
    }

    @Test func `a session that cannot be opened is a failure in the line of open`() throws {
        let failure = try run("open game state=playingLevel episode=9 level=1\n").failure
        #expect(failure?.line == 1)
        #expect(failure?.was == "invalid: episode: not in the catalog")
        let inFinalState = try run("open registration state=finished\n").failure
        #expect(inFinalState?.was == "a session cannot begin in a final state")
    }

    @Test func `after a refusal, the effects of the step before it can be expected`() throws {
        let text = "flow startup\nsend didLaunch\nrefuse closeLink with noTransition\n"
        #expect(try run(text + "expect effects loadSession").failure == nil)
    }

    @Test func `a wait past the clock's last instant fails`() throws {
        // 26 times 3650 days are 260 years; a clock reaches 250.
        let waits = String(repeating: "after 3650d\n", count: 26)
        let failure = try run("flow game\n" + waits).failure
        #expect(failure?.was == "the clock reached its last instant")
    }

    @Test func `a wait with too many firings fails`() throws {
        let failure = try run(Self.openPlaying + "pause timeUp\nafter 3650d\n").failure
        #expect(failure?.was == "more than 1000000 timers fired before")
    }

    @Test func `an effect's arguments can be expected`() throws {
        let text = "flow registration\nsend next\nexpect effect show state="
        #expect(try run(text + "createProfile").failure == nil)
        #expect(try run(text + "login").failure?.was == "effect show state=createProfile")
    }

    @Test func `the report is TAP 14 with the failed line`() throws {
        let runs = [
            try run("flow game\nscenario a #1\nexpect introduction"),
            try run("flow game\nexpect help"),
        ]
        let report = TAPReport(runs)
        #expect(!report.isPassed)
        #expect(
            report.lines == [
                "TAP version 14", "1..2", "ok 1 - game: a \\#1", "not ok 2 - game: t", "  ---",
                "  at: \"t.scenario:2\"", "  expected: \"help\"", "  was: \"introduction\"",
                "  ...",
            ])
    }

    @Test func `characters special to YAML or a terminal are escaped`() throws {
        let specialCharacters = "a\u{9B}b\u{2028}c\u{7F}"
        let text = "open startup state=error message=\"\(specialCharacters)\"\nexpect ready"
        let lines = TAPReport([try run(text)]).lines
        #expect(lines.contains { $0.contains("a\\u009bb\\u2028c\\u007f") })
        #expect(!lines.joined().unicodeScalars.contains("\u{9B}"))
    }

    @Test func `coverage counts transitions, timers and refusals`() throws {
        let coverage = try run(
            Self.openPlaying + "refuse resume with noTransition\nafter 1s\nsend pause"
        ).coverage
        // The taken transitions are the transitions of `tick` and `pause`.
        #expect(coverage.transitions.count == 2)
        #expect(coverage.timers.map(\.name) == ["tick"])
        #expect(coverage.refusals.map(\.name) == ["resume"])
        #expect(coverage.allDeferrals.isEmpty)
        // The game has 7 states and 12 events: 17 of these 84 pairs are transitions, and 67 pairs are refusals. The timers add
        // 7 transitions.
        #expect(coverage.allTransitions.count == 24)
        #expect(coverage.allTimers.count == 7)
        #expect(coverage.allRefusals.count == 67)
        #expect(!coverage.isComplete)
    }

    @Test
    func `undo takes back an event, a timer operation and a firing, and restores the timers`()
        throws
    {
        let steps = """
            after 30s
            send pause
            extend abandoned 1m
            undo
            expect timer abandoned 5m
            undo
            expect playingLevel level=3
            expect timer timeUp 1m
            expect no effects
            after 1m
            expect finishedLevel score=0
            undo
            expect playingLevel
            expect timer timeUp 0s paused
            resume timeUp
            expect finishedLevel score=0
            """
        #expect(try run(Self.openPlaying + steps).failure == nil)
    }

    @Test func `after an undo the clocks may have run on, and what is over fires`() throws {
        let steps = """
            after 30s
            send pause
            after 20s
            undo clocks=run
            expect timer timeUp 40s
            send pause
            after 41s
            undo clocks=run
            expect finishedLevel score=0
            """
        #expect(try run(Self.openPlaying + steps).failure == nil)
    }

    @Test(arguments: [
        "open bench\nexpect b\nexpect effects light", "flow bench\nexpect b",
        "open bench\nrefuse go with noTransition",
        "open bench\nundo\nexpect a\nexpect timer over 0s paused",
        "flow bench\nafter 0s\nexpect b\nexpect no effects",
    ])
    func `a timer that is due at once fires with the line that opens the session`(_ steps: String)
        throws
    {
        let flow = ExampleFlow.with {
            $0.timersByState = [.a: [.countdown(.zero, sends: .over)]]
            ($0.rows["a over"], $0.rows["b over"]) = (.enter(.b, .light), nil)
        }
        #expect(try run(steps, [flow]).failure == nil)
        let coverage = try run("open bench", [flow]).coverage
        #expect(coverage.transitions.map(\.on) == ["over"])
    }

    @Test func `an operation that changes no timer is not a step to undo`() throws {
        let steps = "pause timeUp\npause timeUp\nundo\nexpect timer timeUp 90s"
        #expect(try run(Self.openPlaying + steps).failure == nil)
        let failure = try run(Self.openPlaying + "resume timeUp\nresume *\nundo").failure
        #expect(failure?.line == 4 && failure?.was == "no step is left to undo")
    }

    @Test func `beats, labels and messages are not steps to undo`() throws {
        let steps =
            "send pause\nsend resume\nafter 5s\nlabel team=Owls\nsay hello\nundo\nexpect paused"
        #expect(try run(Self.openPlaying + steps).failure == nil)
        let failure = try run(Self.openPlaying + "after 5s\nlabel team=Owls\nundo").failure
        #expect(failure?.line == 4 && failure?.was == "no step is left to undo")
    }

    @Test(arguments: [
        "label team=Owls players=4\nexpect label team Owls\nexpect label players 4",
        "label team=Owls\nlabel team=\nexpect label team \"\"",
        "say Mind the clock\nexpect said Mind the clock\nsay \"\"\nexpect said \"\"",
        "say Soon for=30s\nafter 29s\nexpect said Soon\nafter 1s\nexpect said \"\"",
    ])
    func `labels and messages can be set and expected`(_ steps: String) throws {
        #expect(try run(Self.openPlaying + steps).failure == nil)
    }

    @Test(arguments: [
        ("label team=Owls\nexpect label team Cats", "label team Cats", "label team Owls"),
        ("expect label team Cats", "label team Cats", "no label team"),
        ("say one\nexpect said two", "said two", "said one"),
        ("expect said two", "said two", "no message"),
    ])
    func `a label or message that differs is reported`(
        _ steps: String, _ expected: String, _ was: String
    )
        throws
    {
        let failure = try run(Self.openPlaying + steps).failure
        #expect(failure?.expected == expected && failure?.was == was)
    }
}
