import GameFlow
import Testing

@testable import FlowAnalysis
@testable import FlowFiles

/// The warnings about flow files, which can be used nevertheless. `flowText` returns the text of a flow whose state `a` contains
/// the given lines, from line 9 on and with two more spaces.
@Suite struct WarningTests {
    /// The warnings about a text without mistakes, each with its position: `3:5: …`.
    private func warnings(_ text: String) throws -> [String] {
        let file = try flowFile(text)
        return file.allWarnings(file.flow).map { String($0.description.dropFirst("f.yaml:".count)) }
    }

    /// The warnings about the value of the setting `x`.
    private func warnings(ofSetting value: String) throws -> [String] {
        try warnings(flowText("  on: {stop: a}", more: "settings:\n  x: \(value)\n"))
    }

    @Test func `a plain value that a comment cuts is a warning`() throws {
        #expect(
            try warnings("flow: f\nstart: a\ntitle: Room #1 is ready\nstates: {a: }\n")
                == [
                    "3:8: the value ends before ` #`, which begins a comment; write quotes if the rest belongs to it: 'Room #1 is ready'"
                ])
        // Before the comment are characters of several bytes.
        #expect(
            try warnings("flow: f\nstart: a\ntitle: Tür\nnote: Räume  #2\nstates: {a: }\n").first?
                .hasPrefix("4:7: ") == true)
    }

    @Test(arguments: [
        "title: Room # the first", "title: 'Room #1'", "title: Room#1", "title: Room #",
        "title: |\n  Room #1", "# Room #1", "title: Room\n  #1",
    ])
    func `a comment after a blank, and a # within a value or quotes, is no warning`(_ line: String)
        throws
    {
        #expect(try warnings("flow: f\nstart: a\n\(line)\nstates: {a: }\n") == [])
    }

    @Test func `a number that begins with 0 is a warning`() throws {
        #expect(
            try warnings(ofSetting: "0451")
                == ["8:6: 0451 is read as the number 451; write '0451' for a text"])
        #expect(try warnings(ofSetting: "'0451'") == [])
        #expect(try warnings(ofSetting: "0") == [])
        #expect(
            try warnings(flowText("  on: {stop: {do: {beep: {code: 007}}}}"))
                == ["9:35: 007 is read as the number 7; write '007' for a text"])
        #expect(
            try warnings(flowText("  on: {stop: {to: b, with: {n: 010}}}"))
                == ["9:34: 010 is read as the number 10; write '010' for a text"])
        // Where a text is expected, the digits are the text.
        #expect(
            try warnings(flowText("  data: {t: text = x}\n  on: {stop: {with: {t: 010}}}")) == [])
    }

    @Test(arguments: [
        ("1:30", "1m30s for a duration, {type: time, default: '1:30'} for a time of day"),
        ("20:00", "20m for a duration, {type: time, default: '20:00'} for a time of day"),
        ("1:00:00", "1h for a duration, {type: time, default: '1:00:00'} for a time of day"),
        ("90:00", "1h30m for a duration"), ("90 s", "90s for a duration"),
        ("5min", "5m for a duration"), ("1.5h", "1h30m for a duration"),
        ("0.25 min", "15s for a duration"), ("5m30", "5m30s for a duration"),
        ("2d5", "2d5h for a duration"),
        ("-5s", "{type: duration -5s..5s, default: -5s} for a duration"),
        ("3654d", "a duration of at most 10 years"),
        ("9999 days", "a duration of at most 10 years"),
        ("True", "true for a boolean"), ("FALSE", "false for a boolean"),
        ("1_000", nil), ("1.5", nil), ("0x1F", nil), ("1e3", nil),
        (".inf", nil), ("2026-11-25", nil), ("-3.", nil),
    ])
    func `a setting's text that looks like another type is a warning`(
        _ value: String, _ replacement: String?
    ) throws {
        let advice = replacement ?? "a whole number such as 5, a duration such as 90s"
        #expect(
            try warnings(ofSetting: value)
                == ["8:6: \(value) is read as a text; write \(advice), or '\(value)' for a text"])
        #expect(try warnings(ofSetting: "'\(value)'") == [])
    }

    @Test func `the advice for a negative duration is a setting without a mistake`() throws {
        #expect(try warnings(ofSetting: "{type: duration -5s..5s, default: -5s}") == [])
    }

    @Test(arguments: [
        "de", "The Vault", "3 players", "e", "v1.2", "1.5x", "5m30x", "-x", "truer",
        "1h30m", "90s", "7", "a:b",
    ])
    func `a setting that is a text or has a type is no warning`(_ value: String) throws {
        #expect(try warnings(ofSetting: value) == [])
    }

    @Test func `a word that YAML once read as a boolean is reported where a name is expected`() {
        #expect(
            findings("flow: f\nstart: on\nstates: {a: }\n").contains(
                "2:8: on without quotes; write true for a boolean, or 'on' for a name or a text"))
    }

    @Test func `a timer whose rows may all be passed over is a warning`() throws {
        func text(_ row: String) -> String {
            flowText(
                "  timers: {end: {after: 5s}, second: {every: 1s}}\n  on:\n    end: stay\n    second: \(row)"
            )
        }
        #expect(
            try warnings(text("{if: left(end) == 0s, do: beep}"))
                == [
                    "12:7: when the timer second fires and no condition is true, its signal is refused; end the rows with `else: stay`"
                ])
        #expect(try warnings(text("{if: left(end) == 0s, do: beep, else: stay}")) == [])
        // Lint, which tries the timer, agrees; and no tool calls the flow broken.
        let flow = try flowFile(text("{if: left(end) == 0s, do: beep}")).flow
        #expect(flow.mistakes == [])
        #expect(Lint(flow).findings.contains(.unhandledSignal(state: "a", signal: "second")))
        #expect(Lint(flow).findings.contains { $0.name == "warning" })
    }

    @Test func `a state that cannot be entered with some data is a warning at the state`() throws {
        let text = flowText("  on: {stop: b}").replacing(
            "data: {n: integer}",
            with: "data: {n: integer 0..5 = 1}\n    timers: {t: {every: =n * 100ms}}"
        ).replacing("on: {stop: a}", with: "on: {stop: a, t: stay}")
        let found = try warnings(text)
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("10:3: b cannot be entered") == true, "\(found)")
        // The analyses search the flow nevertheless.
        #expect(Lint(try flowFile(text).flow).explored.situations > 0)
    }

    @Test func `a flow that cannot begin is searched no further`() throws {
        let text = flowText("  on: {stop: b}\n  data: {k: {type: integer = 0, unless: k > 1}}")
            .replacing("data: {n: integer}", with: "data: {n: integer = 0}")
        let lint = Lint(try flowFile(text).flow)
        #expect(lint.explored.situations == 0)
        #expect(lint.findings.map(\.name).contains("mistake"))
    }

    @Test func `the effect show is a warning if no line sends it`() throws {
        let text = flowText("  on: {stop: {do: [beep, show: {text: hi}]}}")
            .replacing("effects: [beep]", with: "effects: [beep, show]")
        #expect(try warnings(text) == [])
        #expect(
            try flowFile(text).warningOfShowEffect?.description
                == "f.yaml:9:28: no `on` line sends the effect show, and the players' screens do not show it; use the effect say"
        )
        #expect(try flowFile(flowText("  on: {stop: a}")).warningOfShowEffect == nil)
    }

    @Test(arguments: [
        "game", "onboarding", "permissions", "quiz", "registration", "startup", "vault",
    ])
    func `the examples have no warning`(_ name: String) throws {
        let file = try FlowFile(path: exampleFile("\(name).yaml"))
        #expect(file.allWarnings(file.flow) == [])
    }

    @Test func `a byte order mark is skipped, and positions do not count it`() throws {
        let text =
            "flow: f\r\nstart: a\r\nevents:\r\n  go:\r\nstates:\r\n  a:\r\n    on: {go: a}\r\n"
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let file = try FlowFile(text: mark + Array(text.utf8), file: "f.yaml")
        #expect(file.name == "f")
        // The version and the journal have the bytes of the file.
        #expect(file.text.starts(with: mark))
        do throws(FlowFileError) {
            _ = try FlowFile(text: mark + Array("flaw: f".utf8), file: "f.yaml")
            Issue.record("no mistake")
        } catch {
            #expect(
                error.findings.contains { $0.position == .start && $0.sentence.contains("flaw") })
        }
    }

    @Test func `the check of one long line of values takes no more than one pass`() throws {
        // 40 000 values on one line: a search from the beginning of the line for each would take minutes.
        let values = (0..<10_000).map { "a\($0)" }.joined(separator: ", ")
        #expect(throws: FlowFileError.self) {
            try FlowFile(
                text: Array("flow: f\neffects: [\(values)]".utf8), file: "f.yaml")
        }
    }
}
