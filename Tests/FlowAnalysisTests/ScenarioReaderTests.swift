import FlowAnalysis
import GameFlow
import ShippedFlows
import TestSupport
import Testing
import Timers

@Suite struct ScenarioReaderTests {
    private func read(_ text: String) -> ScenarioReader {
        ScenarioReader(Array(text.utf8), file: "dir/x.scenario", flows: AnyFlow.shipped())
    }

    @Test func `a file without a title is one scenario with the file's name`() {
        let reader = read("# comment\n\nflow game\nsend startPlaying\n  expect choosingEpisode\r\n")
        #expect(reader.errors == [])
        #expect(reader.scenarios.map(\.title) == ["x"])
        #expect(reader.scenarios.first?.steps.map(\.line) == [4, 5])
    }

    @Test func `a byte order mark is skipped`() {
        let reader = read("\u{FEFF}flow game\nsend startPlaying\n")
        #expect(reader.errors == [])
        #expect(reader.scenarios.count == 1)
    }

    @Test func `a flow that cannot be used is the only error of lines that need it`() {
        let steps = (0..<60).map { _ in "send go\nexpect b\n" }.joined()
        let reader = read("flow broken.yaml\nscenario One\n\(steps)scenario Two\nset x=1\n\(steps)")
        #expect(reader.errors.count == 1)
        #expect(reader.errors.first?.sentence.contains("broken.yaml cannot be used") == true)
    }

    @Test func `each title begins a scenario, with the file's or its own flow`() {
        let reader = read(
            """
            flow game
            scenario One: it's "quoted" # and all
            send startPlaying
            scenario Two
            open onboarding state=deviceIdentification
            expect deviceIdentification
            scenario Three
            flow quiz
            expect lobby
            """)
        #expect(reader.errors == [])
        #expect(
            reader.scenarios.map(\.title) == ["One: it's \"quoted\" # and all", "Two", "Three"])
        #expect(reader.scenarios.map(\.flow.name) == ["game", "onboarding", "quiz"])
        #expect(reader.scenarios.map(\.line) == [2, 4, 7])
    }

    @Test func `settings are the file's or the scenario's`() throws {
        let reader = read(
            """
            flow game
            set help=5s choosing="7s"
            scenario The settings of the file
            open game state=help
            expect timer helpTimedOut 5s
            scenario One setting of the file is replaced
            set help=2s
            send startPlaying
            expect timer idle 7s
            scenario Another flow
            flow quiz
            set answer=3s
            open quiz state=lobby
            expect lobby
            scenario The settings of the file again
            send displayHelp
            expect timer helpTimedOut 5s
            """)
        #expect(reader.errors == [])
        // The first two settings of the game are `help` and `choosing`, and the first three of the quiz `question`, `tick` and
        // `answer`.
        let settings = reader.scenarios.map { $0.flow.settings.map(\.value) }
        #expect(settings.map(\.first) == ["5s", "2s", "20s", "5s"])
        #expect(settings.map { $0[1] } == ["7s", "7s", "1s", "7s"])
        #expect(reader.scenarios[2].flow.settings[2].value == "3s")
        #expect(reader.scenarios[1].flowWithDefaultSettings.settings.first?.value == "30s")
        for scenario in reader.scenarios {
            #expect(ScenarioRun(scenario).failure == nil, "\(scenario.title)")
        }
    }

    @Test(arguments: [
        ("vault.yaml", "dir/vault.yaml"), ("../flows/vault.yaml", "dir/../flows/vault.yaml"),
        ("/etc/vault", "/etc/vault"),
    ])
    func `a flow file is looked for in the scenario's folder`(_ word: String, _ path: String) {
        var paths: [String] = []
        let text = "flow \(word)\nscenario A\nsend startPlaying\nscenario B\nopen game\n"
        let reader = ScenarioReader(Array(text.utf8), file: "dir/x.scenario", flows: []) {
            paths.append($0)
            return AnyFlow(Game())
        }
        #expect(reader.errors == [])
        #expect(paths == [path])
        #expect(reader.scenarios.map(\.title) == ["A", "B"])
    }

    @Test func `mistakes in a flow file are reported where the scenario names it`() {
        let text = Array("flow a.yaml".utf8)
        let reader = ScenarioReader(text, file: "x", flows: []) {
            (path) throws(FlowFileReadingError) in
            throw FlowFileReadingError(reasons: ["\(path):1:1: one", "\(path):2:1: two"])
        }
        #expect(
            reader.errors.map(\.sentence)
                == ["x:1:6: a.yaml cannot be used; a.yaml:1:1: one; a.yaml:2:1: two"])
    }

    @Test(arguments: [
        ("flow gaem", "1:6: no flow gaem; did you mean game?"),
        ("flow", "1:5: no flow; flow NAME"),
        ("flow game x", "1:11: unexpected word; flow NAME"),
        ("set help=5s", "1:1: no flow yet; write 'flow NAME' first"),
        ("flow game\nset", "2:4: no setting; set NAME=VALUE"),
        ("flow game\nset help", "2:5: unexpected word: help; set NAME=VALUE"),
        ("flow game\nset hepl=5s", "2:5: game has no setting hepl; did you mean help?"),
        (
            "flow game\nset tick=2s help=5",
            "2:13: not a value of help; expected a duration such as 90s or 1h30m"
        ),
        (
            "flow game\nset tick=9ms",
            "2:5: not a value of tick; a period is at least 10ms"
        ),
        (
            "flow game\nsend startPlaying\nset help=5s",
            "3:1: the session is open already; 'set' comes before a scenario's first step"
        ),
        ("flow x.yaml", "1:6: x.yaml cannot be used; flow files are not read here"),
        ("snd x", "1:1: no step snd; did you mean send?"),
        ("send startPlaying", "1:1: no flow yet; write 'flow NAME' or 'open NAME' first"),
        ("open game episode=1", "1:11: data without a state; open FLOW state=NAME …"),
        ("open game state=playingLevle", "1:11: no state playingLevle; did you mean playingLevel?"),
        ("scenario", "1:1: no title; scenario TITLE"),
        ("", "1:1: no scenario; a line such as 'flow game' begins one"),
    ])
    func `an error before the first step has line, column and hint`(
        _ text: String, _ sentence: String
    ) {
        #expect(read(text).errors.map(\.sentence) == ["dir/x.scenario:\(sentence)"])
    }

    @Test(arguments: [
        ("send", "5: no event; send EVENT …"),
        ("send startPlayin", "6: no event startPlayin; did you mean startPlaying?"),
        ("send timeUp", "6: timeUp is a timer's signal; wait until the timer fires: after …"),
        ("send chooseEpisode 2", "20: unexpected word: 2; expected key=value"),
        (
            "send chooseEpisode episode=1 episode=2",
            "30: duplicate member episode; remove one of them"
        ),
        (
            "send chooseEpisode {\"episode\":",
            "20: a value is missing; an object is JSON, and extends to the end of the line"
        ),
        ("send \"startPlaying", "6: an unclosed quote; quote words as in a shell"),
        (
            "refuse startPlaying",
            "20: no reason; refuse EVENT … with REASON, one of noTransition, invalid, finished, forbidden, unknownEvent, deferQueueFull, hookRefused"
        ),
        (
            "refuse startPlaying with noTransitoin",
            "26: no reason noTransitoin; did you mean noTransition?"
        ),
        (
            "refuse nothing with noTransition",
            "8: no event nothing; expected one of displayHelp, dismissHelp, startPlaying, chooseEpisode, chooseLevel, completeLevel, dismissFinishedLevel, returnHome, pause, resume, controllerLost, controllerFound"
        ),
        (
            "refuse everything startPlaying with finished",
            "19: expected 'but'; refuse everything but A, B with …"
        ),
        (
            "refuse everything but startPlayin with finished",
            "23: no event startPlayin; did you mean startPlaying?"
        ),
        ("after", "6: no duration; after 30s"),
        (
            "send chooseEpisode epsode=1",
            "20: chooseEpisode has no argument epsode; did you mean episode?"
        ),
        ("send startPlaying now=true", "19: unexpected word: now; startPlaying has no arguments"),
        (
            "expect choosingLevel epsode=1",
            "22: choosingLevel has no datum epsode; did you mean episode?"
        ),
        ("goto help {\"x\":1}", "11: unexpected word: x; help has no data"),
        ("expect acepts help", "8: no state acepts; did you mean accepts?"),
        ("after 5", "7: not a duration: 5; such as 250ms, 30s, 5m or 1h30m"),
        ("after 11y", "7: not a duration: 11y; such as 250ms, 30s, 5m or 1h30m"),
        ("after 4000d", "7: too long: 4000d; a duration is at most 10 years"),
        ("after 5s now", "10: unexpected word; after 30s"),
        ("pause", "6: no timer; pause TIMER"),
        ("pause tiemUp", "7: no timer tiemUp; did you mean timeUp?"),
        ("extend timeUp", "14: no duration; extend TIMER 30s"),
        ("goto paussed", "6: no state paussed; did you mean paused?"),
        ("expect", "7: no state; expect STATE …"),
        ("expect playing", "8: no state playing; did you mean playingLevel?"),
        ("expect timer timeUp", "20: no duration; expect timer NAME 30s [paused]"),
        ("expect timer timeUp 1s stopped", "24: expected 'paused'; expect timer NAME 30s [paused]"),
        (
            "expect no",
            "10: expected 'timer' or 'effects'; expect no timer NAME, or expect no effects"
        ),
        ("expect effects", "15: no effect; expect effects A, B, or expect no effects"),
        ("expect deferred many", "17: expected a number; expect deferred 1"),
        ("expect deferred -1", "17: expected a number; expect deferred 1"),
        (
            "expect accepts nothing",
            "16: no event nothing; expected one of displayHelp, dismissHelp, startPlaying, chooseEpisode, chooseLevel, completeLevel, dismissFinishedLevel, returnHome, pause, resume, controllerLost, controllerFound"
        ),
        ("open game", "1: the session is open already; begin a new scenario"),
        (
            "flow quiz",
            "1: the scenario has a flow already; 'flow' comes before a scenario's first step"
        ),
        (
            "éé send x",
            "1: no step éé; expected one of scenario, flow, open, send, refuse, after, expect, pause, resume, extend, restart, shorten, set, goto, undo, label, say, seed, zone"
        ),
        ("send chooseEpisode é=1", "20: unexpected word: é=1; expected key=value"),
        ("expect \u{1}", "8: a control byte; quote words as in a shell"),
        ("undo 2", "6: unexpected word; undo [clocks=run]"),
        ("undo clocks=fast", "6: neither still nor run; undo [clocks=run]"),
        ("label", "6: no label; label NAME=VALUE"),
        ("label a-b=a", "7: unexpected word: a-b=a; label NAME=VALUE"),
        ("say", "4: no text; say TEXT [for=30s]"),
        ("say x for=soon", "7: not a duration: soon; such as 250ms, 30s, 5m or 1h30m"),
        ("expect label team", "18: no value; expect label NAME VALUE"),
        ("expect said", "12: no text; expect said TEXT"),
    ])
    func `an error in a step has line, column and hint`(_ step: String, _ sentence: String) {
        let reader = read("flow game\nexpect introduction\n\(step)\n")
        #expect(reader.errors.map(\.sentence) == ["dir/x.scenario:3:\(sentence)"])
    }

    @Test func `an unknown flow is an error that lists the flows`() {
        let names = AnyFlow.shipped().map(\.name).joined(separator: ", ")
        #expect(
            read("open nowhere").errors.map(\.sentence)
                == ["dir/x.scenario:1:6: no flow nowhere; expected one of \(names)"])
    }

    @Test(arguments: ["scenario A", "scenario A\nflow quiz", "flow quiz\nscenario A\n# nothing"])
    func `a scenario without a step is an error`(_ text: String) {
        #expect(read(text).errors.map(\.problem) == ["scenario without a step"])
        #expect(read(text).scenarios.isEmpty)
    }

    @Test func `all errors are reported`() {
        let reader = read("flow game\nsend a\nsend b\nscenario x\nscenario y\nexpect nowhere\n")
        #expect(reader.errors.map(\.line).sorted() == [2, 3, 4, 6])
    }

    @Test func `a comment may follow a step`() {
        let reader = read(
            """
            flow startup  # it's a start-up
            send deepLink link=app://a#b   # not "the end
            expect error message="no # here\\\\" # it's a comment
            """)
        #expect(reader.errors.map(\.sentence) == [])
        guard case .send(_, let link)? = reader.scenarios.first?.steps.first?.step,
            case .expect(.state(_, let data))? = reader.scenarios.first?.steps.last?.step
        else {
            Issue.record("not the steps that were written")
            return
        }
        #expect(link == [Member("link", "app://a#b")])
        #expect(data == [Member("message", "no # here\\")])
    }

    @Test func `a column counts characters, not bytes`() {
        let reader = read("flow startup\nsend loginFailed message=ä x\n")
        #expect(reader.errors.first?.column == 28)
    }

    @Test func `invalid UTF-8 and too long files are errors`() {
        let notUTF8 = ScenarioReader([0x66, 0xFF, 0x0A], file: "x", flows: AnyFlow.shipped())
        #expect(notUTF8.errors.first?.problem == "not UTF-8")
        let tooLong = ScenarioReader(
            [UInt8](repeating: 0x23, count: ScenarioReader.limit + 1), file: "x", flows: [])
        #expect(tooLong.errors.first?.problem == "longer than 1048576 bytes")
    }
}
