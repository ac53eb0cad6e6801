import GameFlow
import TestSupport
import Testing

@testable import FlowFiles

/// `findings` returns the mistakes of a text, each with its line and column. `flowText` returns the text of a flow with the
/// states `a` and `b`. `a` contains the given lines: they begin at line 9, and are indented by two more spaces. `b` has the
/// datum `n`.
@Suite struct FlowFileCheckerTests {
    @Test func `the vault has no mistake, and its names are resolved`() throws {
        let flow = try flowFile(smallVault).definition
        #expect(flow.name == "vault")
        #expect(flow.states.map(\.name) == ["lobby", "playing", "won", "lost"])
        #expect(flow.timerNames == ["timeUp", "tick", "last", "home"])
        #expect(flow.settings.map(\.type) == [.duration, .integer, .text])
        #expect(flow.invariants.count == 1)
        // A row of `playing` reads the time that `timeUp` has left.
        #expect(flow.states[1].usesTimers)
        // `goHome` is accepted everywhere except in the lobby.
        let goHome = try #require(flow.events.firstIndex { $0.name == "goHome" })
        #expect(flow.states.map { $0.eventRows[goHome] != nil } == [false, true, true, true])
    }

    @Test(arguments: [
        (
            "flow: 1x\nstart: a\nstates: {a: }",
            "1:7: \"1x\" is not a name; a name is a letter, then letters, digits, - and _"
        ),
        ("start: a\nstates: {a: }", "1:1: the flow has no name; begin with flow: NAME"),
        ("flow: f\nstates: {a: }", "1:1: the flow has no initial state; write start: a"),
        ("flow: f\nstart: a", "1:1: the flow has no states; write states: with at least one"),
        (
            "format: 2\nflow: f\nstart: a\nstates: {a: }",
            "1:9: this gamed reads format 1; leave the line out or write format: 1"
        ),
        (
            "flow: f\nstart: a\nstate: 1\nstates: {a: }",
            "3:1: a flow file has no key state; did you mean states?"
        ),
        (
            "[a]",
            "1:1: expected a flow file as a map with the keys format, flow, title, note, start, settings, data, events, effects, states, everywhere, always, tables, languages, not a list"
        ),
        (
            "flow: f\nstart: a\nstates: {a: {data: {n: integer}}}",
            "2:8: a cannot be the initial state, because nothing provides its datum n; give it a default"
        ),
        (
            "flow: f\nstart: a\nevents: {e: {if: text}}\nstates: {a: }",
            "3:14: if is a word of the language; choose another name"
        ),
        (
            "flow: f\nstart: a\nevents: {e: {title: Go}}\nstates: {a: }",
            "3:21: Go is not a type; expected one of integer, boolean, text, duration, time, one of, link, address, set, tally, checklist of, order of, optional; an event with a title has the key args: {args: {}, title: …}"
        ),
        (
            "flow: f\nstart: a\nevents: {e: {n: integr}}\nstates: {a: }",
            "3:17: integr is not a type; did you mean integer?"
        ),
        (
            "flow: f\nstart: a\nevents: {e: {n: integer = 1}}\nstates: {a: }",
            "3:17: an argument has no default; declare it as optional"
        ),
        (
            "flow: f\nstart: a\nevents: {e: {n: {type: integer, unless: n in 1..x}}}\nstates: {a: }",
            "3:49: there is no name x here; did you mean n?"
        ),
        (
            "flow: f\nstart: a\nsettings: {t: }\nstates: {a: }",
            "3:15: t needs a default, which gives its type: t: 60m"
        ),
        (
            "flow: f\nstart: a\nevents: {t: }\nstates: {a: {timers: {t: {after: 1s}}, on: {t: stay}}}",
            "4:23: t is the name of an event; give the timer another one"
        ),
    ])
    func `a mistake in a declaration is reported`(_ text: String, _ finding: String) {
        #expect(findings(text).contains(finding), "\(findings(text))")
    }

    @Test func `a timer with the name of an event is one finding, not two`() {
        let text =
            "flow: f\nstart: a\nevents: {t: }\nstates: {a: {timers: {t: {after: 1s}}, on: {t: {to: a}}}}"
        #expect(
            findings(text) == ["4:23: t is the name of an event; give the timer another one"])
    }

    @Test(arguments: [
        (
            "  on: {go: {to: b, with: {m: 1}}}",
            "9:29: there is no datum of b named m; did you mean n?"
        ),
        ("  on: {stop: {do: [bepp]}}", "9:22: there is no effect bepp; did you mean beep?"),
        ("  on: {stop: {post: {go: {n: 1}}}}", "9:24: go needs the argument word"),
        ("  on: {stop: {post: goo}}", "9:23: there is no event goo; did you mean go?"),
        (
            "  on: {halt: stay}",
            "9:10: there is no event or timer of a named halt; expected one of go, stop"
        ),
        (
            "  on: {stop: {left: {t: 1s}}}",
            "9:17: left belongs to a row that enters a state; this one stays"
        ),
        ("  on: {stop: {refuse: {n: x}}}", "9:26: there is no argument n"),
        ("  on: {stop: {pause: t}}", "9:24: there is no timer of a named t"),
        ("  on: {go: {if: word == settings.x}}", "9:27: there is no name settings.x here"),
        (
            "  timers: {t: {every: 5ms}}\n  on: {t: stay}",
            "9:25: every 5ms is too short; the shortest period is 10ms"
        ),
        (
            "  timers: {t: {}}\n  on: {t: stay}",
            "9:14: the timer t has no time; write after: 90s, every: 1s, up: true, when: {left: 1m, of: COUNTDOWN} or until: '20:00'"
        ),
        (
            "  timers: {t: {after: 1s, restart: again}}\n  on: {t: stay}",
            "9:38: again is not what a timer can do at a restart; expected one of deadline, remaining, restart, drop"
        ),
        (
            "  timers: {t: {after: 1s}}\n  on: {t: defer}",
            "10:13: the signal of a timer cannot be deferred"
        ),
        (
            "  timers: {t: {after: 1s}}\n  on: {t: stay, stop: {to: b, with: {n: 1}, pause: t}}",
            "10:47: pause needs a row that stays: entering a state ends the timers of this one"
        ),
        ("  clock: t", "9:12: there is no timer t in a"),
        ("  show: {picture: ../x}", "9:21: \"../x\" is not a file in the media directory"),
        (
            "  data: {left: duration = 1s, leftMs: integer = 0}",
            "9:11: left is a duration and therefore has the name leftMs on the wire, but leftMs is declared, too"
        ),
        ("  data: {n: integer 0..5 = 7}", "9:15: the default of n is not within 0…5"),
        (
            "  data: {n: integer 0..5 = 1}\n  on: {stop: {with: {n: 9}}}",
            "10:27: n is not within 0…5"
        ),
        (
            "  data: {n: integer = 0}\n  on: {stop: {with: {n: n}}}",
            "10:27: expected an integer, not \"n\"; if it is meant as an expression, write =n"
        ),
    ])
    func `a mistake in a state is reported`(_ lines: String, _ finding: String) {
        #expect(findings(flowText(lines)).contains(finding), "\(findings(flowText(lines)))")
    }

    @Test func `all findings are reported together, in the order of their positions`() {
        let text = flowText(
            "  on: {stop: bb, go: {do: bepp}, halt: stay}", more: "settings: {t: yes}\n")
        let sentences = findings(text)
        #expect(
            sentences.map { $0.prefix { $0 != " " } } == ["7:15:", "10:16:", "10:29:", "10:36:"])
    }

    @Test func `a datum comes from the event, then from the previous state, then from its default`()
        throws
    {
        let file = try flowFile(
            """
            flow: f
            start: a
            events: {go: {n: integer}, "on": {n: text}}
            states:
              a:
                data: {n: integer = 1, m: integer = 2}
                on: {go: b, "on": b}
              b:
                data: {n: integer = 0, m: integer, k: integer = 5}
            """)
        let a = file.definition.states[0]
        guard case .enter(let planOfInteger)? = a.eventRows[0]?[0].action,
            case .enter(let planOfText)? = a.eventRows[1]?[0].action
        else {
            Issue.record("no entry")
            return
        }
        #expect(planOfInteger.data.map(\.slot) == [.argument(0), .datum(1), nil])
        // The text of the event does not fit the integer.
        #expect(planOfText.data.map(\.slot) == [.datum(0), .datum(1), nil])
        #expect(planOfInteger.data[2].constant == .int(5))
    }

    @Test
    func
        `a row of everywhere does not replace the rows of a state, and skips final and excepted states`()
        throws
    {
        let file = try flowFile(
            """
            flow: f
            start: a
            events: {go: , stop: }
            states:
              a: {on: {go: stay}}
              b: {final: true}
              c:
            everywhere: {except: c, on: {"go, stop": b}}
            """)
        let states = file.definition.states
        guard case .stay? = states[0].eventRows[0]?[0].action else {
            Issue.record("replaced")
            return
        }
        #expect(states.map { $0.eventRows[1] != nil } == [true, false, false])
    }

    @Test(arguments: [
        (
            "events: {go: {v: order of q}}",
            "{data: {v: order of q}, on: {go: {with: {v: =event.v}}}}",
            "4:18: an order is a datum, not an argument"
        ),
        (
            "events: {go: {v: optional order of q}}",
            "{data: {v: optional order of q}, on: {go: {with: {v: =event.v}}}}",
            "4:18: an order is a datum, not an argument"
        ),
        (
            "events: {go: {v: optional checklist of c}}",
            "{data: {v: optional checklist of c}, on: {go: {with: {v: =event.v}}}}",
            "4:18: a checklist is a datum; an argument is one of it"
        ),
        (
            "settings: {s: {type: set, default: none}}",
            "{on: {go: {if: settings.s == none, do: []}}}",
            "4:22: a setting cannot have the type 'set'"
        ),
        (
            "settings: {s: }", "{on: {go: {if: settings.s > 1, do: []}}}",
            "4:15: s needs a default, which gives its type: s: 60m"
        ),
        (
            "data: {k: integer = 99999999999999999999}", "{on: {go: {if: k > 0, do: []}}}",
            "4:11: the default of k: expected an integer, not \"99999999999999999999\""
        ),
        (
            "settings: {s: {type: integer, default: x}}",
            "{on: {go: {if: settings.s > 0, do: []}}}",
            "4:40: the default of s: expected an integer, not \"x\""
        ),
        (
            "", "{data: {n: integer = 9007199254740992}, on: {go: {if: n > 0, do: []}}}",
            "7:17: the default of n: expected an integer, not \"9007199254740992\""
        ),
        (
            "", "{data: {n: integer 5..1 = 3}, on: {go: {if: n > 0, do: []}}}",
            "7:17: 5 is more than 1"
        ),
        (
            "events: {go: {t: text 0..1200}}", "{on: {go: {if: t == 'x', do: []}}}",
            "4:18: a text has at most 1000 characters (limit: textLength)"
        ),
        (
            "events: {go: {t: txt}}",
            "{data: {t: text = x}, on: {go: {to: b, with: {u: =event.t}}}}",
            "4:18: txt is not a type; did you mean text?"
        ),
        (
            "events: {go: {t: optional integer 0..x}}",
            "{on: {go: {if: t != 7, do: []}}}",
            "4:18: 0..x is not a range; write it like 1..5"
        ),
        (
            "events: {go: {u: txt}}", "{on: {go: b}}",
            "4:18: txt is not a type; did you mean text?"
        ),
        (
            "data: {d: duration 0s..9999d = 1s}", "{on: {go: {if: d > 1s, do: []}}}",
            "4:11: a duration is at most 10 years"
        ),
        (
            "", "{timers: {t: {after: 99999d}}, on: {t: stay}}",
            "7:27: expected a duration of at most 10 years, not \"99999d\""
        ),
    ])
    func `a mistake in a declaration causes one finding`(
        _ declaration: String, _ state: String, _ finding: String
    ) {
        let events = declaration.hasPrefix("events") ? "" : "events: {go: }"
        let text = """
            flow: f
            start: a
            tables: {q: {columns: {ask: text}, rows: [{ask: x}]}}
            \(declaration)
            \(events)
            states:
              a: \(state)
              b: {data: {u: text}}
            """
        #expect(findings(text) == [finding])
    }

    @Test func `a period that is not a duration causes one finding`() {
        #expect(
            findings(flowText("  timers: {t: {every: soon}}\n  on: {t: stay}"))
                == ["9:25: expected a duration such as 90s or 1h30m, not \"soon\""])
    }

    @Test func `a mistake in a row of everywhere names the first state that it concerns`() {
        let text = """
            flow: f
            start: a
            events: {go: }
            states:
              a: {data: {n: integer = 0}}
              b:
              c:
            everywhere: {on: {go: {if: n == 0, to: b}}}
            """
        #expect(findings(text) == ["8:28: there is no name n here (in the state b)"])
    }

    @Test func `a missing value is not an empty text`() {
        #expect(
            findings(flowText("  data: {s: text = x}\n  on: {stop: {with: {s: }}}"))
                == ["10:27: a value is missing here; write '' for an empty text"])
    }

    @Test
    func
        `samples of an argument include the ends of its limits and the values it is compared with`()
        throws
    {
        let file = try flowFile(
            flowText("  on:\n    go: {if: n == 5 and word == 'abc', do: beep}"))
        let arguments = file.definition.events[0].arguments
        #expect(arguments[0].samples == [0, 1, 8, 9, 5, 4, 6].map { .int($0) })
        #expect(arguments[1].samples == ["x", "y", "abc"].map { .string($0) })
        #expect(arguments[1].hasSecretSamples && !arguments[0].hasSecretSamples)
    }
}

/// Returns the path of a flow file in `Examples/flows`.
func exampleFile(_ name: String) -> String { "\(RepositoryFile.root)/Examples/flows/\(name)" }
