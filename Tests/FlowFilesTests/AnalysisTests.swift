import GameFlow
import TestSupport
import Testing

@testable import FlowAnalysis
@testable import FlowFiles

/// Lint, races, paths and the survey on flow files.
@Suite struct AnalysisTests {
    @Test func `lint finds nothing in the vault`() throws {
        let lint = Lint(try FlowFile(path: exampleFile("vault.yaml")).flow)
        #expect(lint.findings == [])
        #expect(lint.explored.isComplete)
    }

    @Test func `the survey finds every outcome of a row with conditions`() throws {
        let flow = try flowFile(smallVault).flow
        let playing = try #require(flow.survey.first { $0.state == "playing" })
        #expect(playing.successors == ["won", "lobby", "lost"])
        let hint = try #require(playing.results.first { $0.on == "hint" })
        // The event `hint` has the argument `say`. The row refuses the event when all hints are used.
        #expect(hint.outcomes.contains(.keeps(effects: ["say"])))
        #expect(hint.outcomes.contains(.refused(.invalid("say", ofFlow: "no hint is left"))))
    }

    @Test func `lint finds an unreachable state`() throws {
        let flow = try flowFile(
            """
            flow: f
            start: a
            events: {go: }
            states:
              a: {on: {go: b}}
              b: {on: {go: a}}
              c: {on: {go: a}}
            """
        ).flow
        #expect(Lint(flow).findings == [.unreachableState("c")])
    }

    @Test func `lint does not say that a state is unreachable to which another setting leads`()
        throws
    {
        let flow = try flowFile(
            """
            flow: f
            start: a
            settings: {hard: false}
            events: {go: }
            states:
              a: {on: {go: {if: settings.hard, to: boss, else: b}}}
              b: {on: {go: a}}
              boss: {on: {go: a}}
              lost: {on: {go: a}}
            """
        ).flow
        let why = "not reached: the state boss; other values of the settings were not tried"
        // No row leads to `lost`, whatever the settings are.
        #expect(Lint(flow).findings == [.unreachableState("lost"), .incomplete(why)])
        let hard = try flow.with(settings: [Member("hard", .bool(true))])
        #expect(Lint(hard).findings.contains(.unreachableState("lost")))
        #expect(!Lint(hard).findings.description.contains("boss"))
    }

    @Test(arguments: [
        ("w1: {pause: w2, with: {log: =log + '1'}}", #"c log="1""#, ["w2"]),
        ("w1: {set: {w2: 5s}, with: {log: =log + '1'}}", #"c log="1""#, ["w2"]),
        (
            "w1: {if: left(w2) == 0s, with: {log: =log + '1'}, else: {to: e}}", #"d log="12""#, []
        ),
    ])
    func `in the daemon's order a timer is as the rows of the timers before it see and leave it`(
        _ row: String, _ end: String, _ losers: [String]
    ) throws {
        let text = """
            flow: f
            start: c
            data: {log: text = ''}
            states:
              c:
                timers: {w1: {after: 5s}, w2: {after: 5s}}
                on:
                  \(row)
                  w2: {to: d, with: {log: =log + '2'}}
              d: {final: true}
              e: {final: true}
            """
        let races = Races(try flowFile(text).flow).found
        let race = try #require(races.first { $0.contenders.count == 2 })
        #expect(race.outcomes[0].order.map(\.name) == ["w1", "w2"])
        #expect(race.outcomes[0].place.description == end)
        #expect(race.outcomes[0].losers.map(\.name) == losers)
    }

    // MARK: what is searched

    @Test func `entries of a set in another order are no other situation`() throws {
        let flow = try flowFile(resetChecklist).flow
        let lint = Lint(flow)
        #expect(lint.findings == [])
        #expect(lint.explored == (65, true))  // 64 sets, and the lobby
        let paths = Paths(flow)
        #expect(paths.isComplete)
        #expect(paths.shortestInMoves(to: "lobby")?.moveCount == 7)
        let races = Races(flow)
        #expect(races.isComplete && races.found.isEmpty)
        #expect(Tour(flow).missed.isEmpty)
    }

    @Test func `the order of a set counts if the file compares it with another set`() throws {
        let text = resetChecklist.replacing(
            "if: count(done) < 6", with: "if: done == state.done and count(done) < 6")
        let exploration = Exploration(try flowFile(text).flow)
        #expect(exploration.situations.count == 1958)  // 1957 sequences, and the lobby
    }

    @Test func `a comparison with the empty set does not make the order count`() throws {
        let text = resetChecklist.replacing(
            "if: count(done) < 6", with: "if: done == none or count(done) < 6")
        #expect(Exploration(try flowFile(text).flow).situations.count == 65)
    }

    @Test(arguments: ["game", "onboarding", "permissions", "registration", "startup", "vault"])
    func `lint, races and paths search each example completely`(_ name: String) throws {
        let flow = try FlowFile(path: exampleFile("\(name).yaml")).flow
        let lint = Lint(flow)
        #expect(lint.findings == [])
        #expect(lint.explored.isComplete)
        #expect(Races(flow).incompleteness == [])
        let paths = Paths(flow)
        #expect(paths.incompleteness == nil)
        for state in flow.stateNames {
            #expect(paths.shortestInMoves(to: state) != nil, "\(state)")
        }
    }

    @Test func `what the searches of the quiz leave out is a finding incomplete`() throws {
        let flow = try FlowFile(path: exampleFile("quiz.yaml")).flow
        let moves = 20_000
        let findings = Lint(flow, moves: moves).findings
        #expect(!findings.isEmpty && findings.allSatisfy { $0.isIncomplete })
        let sentence = try #require(findings.first?.sentence)
        #expect(
            sentence.hasPrefix("the search ended after 20000 moves (limit: lintMoves): "),
            "\(sentence)")
        #expect(sentence.contains("most values"), "\(sentence)")
        #expect(Races(flow, moves: moves).incompleteness.count == 2)
        #expect(Paths(flow, moves: moves).incompleteness?.contains("pathsMoves") == true)
    }

    @Test func `lint ends before its limit if no situation can have a further finding`() throws {
        let path = exampleFile("../quiz-night/quiz-night.yaml")
        let lint = Lint(try FlowFile(path: path).flow)
        #expect(lint.findings == [])
        #expect(lint.explored.isComplete)
        // A quarter of the limit is enough; 300 000 moves try more than 4000 situations.
        #expect(lint.explored.situations < 2000)
    }

    /// A flow whose scores grow without bound, with further lines.
    private func growing(_ always: String, _ rows: String = "") throws -> AnyFlow {
        try flowFile(
            """
            flow: f
            start: a
            data: {scores: {type: tally, default: none}, sum: integer = 0}
            events: {press: {name: "one of x, y, z"}, best: {}, odd: {}}
            states:
              a:
                timers: {tick: {every: 1s}, late: {after: 10s}}
                on:
                  "tick, late": stay
                  press: {with: {scores: "=add(scores, name, 1)"}}
                  best: {if: "count(leaders(scores)) == 1", to: b}
            \(rows)
              b: {on: {best: a}}
            \(always)
            """
        ).flow
    }

    @Test func `a search without a bound ends early only if nothing can be found any more`() throws
    {
        let settled = Lint(try growing(""))
        #expect(settled.findings == [.deadEvent("odd")] && settled.explored.isComplete)
        // The invariant may be broken in any of the situations that are not tried.
        let invariant = Lint(try growing("always:\n  - {that: sum < 5, why: the sum is small}"))
        #expect(!invariant.explored.isComplete && invariant.findings.contains { $0.isIncomplete })
        // Nobody knows whether a posted event goes on for ever.
        let post = Lint(try growing("", "      odd: {if: sum > 3, post: {best: {}}}"))
        #expect(!post.explored.isComplete && post.findings.contains { $0.isIncomplete })
        // A state that only a distant situation can enter.
        let distant = Lint(
            try growing(
                "  c: {on: {best: a}}", "      odd: {if: count(leaders(scores)) == 9, to: c}"))
        #expect(!distant.explored.isComplete)
        #expect(distant.findings.contains { $0.sentence.contains("the state c") })
    }

    @Test func `two searches with the same number of moves find the same`() throws {
        let flow = try FlowFile(path: exampleFile("quiz.yaml")).flow
        let searches = (0..<2).map { _ in Exploration(flow, moves: 5000) }
        #expect(searches[0].situations.map(\.place) == searches[1].situations.map(\.place))
        #expect(searches[0].budget.used == searches[1].budget.used)
    }

    @Test func `a counter that nothing reads is no part of a situation`() throws {
        let flow = try flowFile(
            """
            flow: f
            start: a
            events: {go: , look: {word: text}}
            states:
              a:
                data: {n: integer = 0, seen: text = x}
                on: {go: {with: {n: =n + 1}}, look: {with: {seen: =word}}}
            """
        ).flow
        let exploration = Exploration(flow)
        #expect(exploration.situations.count == 1)
        #expect(exploration.isComplete)
    }

    @Test func `a datum is a part of a situation if a condition reads it through other data`()
        throws
    {
        let flow = try flowFile(
            """
            flow: f
            start: a
            events: {go: , next: }
            states:
              a:
                data: {n: integer = 0}
                on: {go: {with: {n: =(n + 1) % 3}}, next: {to: b, with: {m: =n}}}
              b:
                data: {m: integer}
                on: {next: {to: c, with: {k: =m}}}
              c:
                data: {k: integer}
                on: {next: {if: k == 2, to: d, else: {refuse: true}}}
              d: {final: true}
            """
        ).flow
        #expect(Paths(flow).shortestInMoves(to: "d")?.moveCount == 5)
        #expect(Lint(flow).findings == [])
    }

    // MARK: what is proved

    /// A lock whose code is the numbers 1 to 5 in order.
    private static let keypad = """
        flow: keypad
        start: locked
        settings: {forget: 5m, open: 60s}
        events: {press: {button: integer 1..5}}
        effects: [unlock]
        states:
          locked:
            data: {step: integer 0..4 = 0}
            timers: {forget: {after: =settings.forget}}
            on:
              press:
                - {if: button == step + 1 and step == 4, to: open, do: unlock}
                - {if: button == step + 1, with: {step: =step + 1}, restart: forget}
                - {if: button == 1, with: {step: 1}, restart: forget}
                - {with: {step: 0}}
              forget: {with: {step: 0}}
          open:
            timers: {shut: {after: =settings.open}}
            on: {press: stay, shut: {to: locked, with: {step: 0}}}
        """

    @Test func `each value of a range is tried`() throws {
        let flow = try flowFile(Self.keypad).flow
        #expect(Lint(flow).findings == [])
        let path = try #require(Paths(flow).shortestInMoves(to: "open"))
        #expect(path.moves.map(\.description) == (1...5).map { "press button=\($0)" })
        // Clients see what a state accepts with the samples alone.
        #expect(flow.events[0].samples.count == 4)
    }

    @Test func `an event with too many values is named as not tried whole`() throws {
        let text = Self.keypad.replacing("integer 1..5", with: "integer 1..5000")
            .replacing("button == step + 1", with: "button == (step + 1) * 731")
        let lint = Lint(try flowFile(text).flow)
        #expect(lint.eventsNotTriedWhole == ["press"])
        // A path to `open` exists, but was not tried: this is no unreachable state.
        #expect(lint.findings.allSatisfy { $0.isIncomplete })
        let sentence = try #require(lint.findings.last?.sentence)
        #expect(sentence.contains("the state open"), "\(sentence)")
    }

    @Test func `a state that each run leaves at once by a post is visited`() throws {
        let flow = try flowFile(
            """
            flow: f
            start: a
            events: {go: , x: , y: }
            states:
              a: {on: {go: {to: b, post: x}}}
              b: {timers: {zero: {after: 1ms}}, on: {x: {to: c, post: y}, zero: d}}
              c: {on: {y: d}}
              d: {final: true}
            """
        ).flow
        let findings = Lint(flow).findings
        #expect(findings == [.hopelessTimer(state: "b", signal: "zero")] || findings == [])
        let paths = Paths(flow)
        for state in ["b", "c", "d"] {
            #expect(paths.shortestInMoves(to: state)?.moves.map(\.move) == [.send("go", [])])
            #expect(paths.shortestInTime(to: state)?.time == .zero)
        }
    }

    @Test func `the search of an event that posts itself ends, with a finding`() throws {
        let flow = try flowFile(
            "{flow: f, start: a, events: {go: }, states: {a: {data: {n: integer = 0}, "
                + "on: {go: {with: {n: =n + 1}, post: go}}}}}"
        ).flow
        let lint = Lint(flow)
        #expect(lint.explored.isComplete)
        #expect(lint.findings == [.deadEnd("a"), .endlessPosts(state: "a", event: "go")])
        // With a condition on `n`, the situations have no end, and the number of moves ends the search.
        let counting = try flowFile(
            "{flow: f, start: a, events: {go: }, states: {a: {data: {n: integer = 0}, "
                + "on: {go: {if: n > -1, with: {n: =n + 1}, post: go}}}}}"
        ).flow
        #expect(Lint(counting, moves: 5000).findings.contains { $0.isIncomplete })
        #expect(!Races(counting, moves: 5000).isComplete)
        #expect(!Paths(counting, moves: 5000).isComplete)
    }

    // MARK: rows that no try took

    /// A flow with a row whose condition holds only after nine events, and a timer that is set only then.
    private static let distantRow = """
        flow: f
        start: a
        events: {go: , far: }
        effects: [light]
        states:
          a:
            data: {n: integer = 0}
            timers: {late: {after: 5s, if: n * n == 490000}}
            on:
              go: {with: {n: =n + 1}}
              far: {if: n * n == 490000, to: b, do: light, else: {refuse: true}}
              late: b
          b: {final: true}
        """

    @Test func `a row counts as a transition although no try took it`() throws {
        let flow = try flowFile(Self.distantRow).flow
        let state = try #require(flow.survey.first)
        let transitions = state.transitions.map { "\($0.on) → \($0.to)" }
        #expect(transitions == ["go → a", "far → b", "late → b"])
        let far = try #require(state.results.first { $0.on == "far" })
        let index = try #require(far.outcomes.firstIndex(of: .enters("b", effects: ["light"])))
        #expect(!far.wasTried(outcomeAt: index))
        #expect(far.isAccepted)
        let all = Coverage(flow).allTransitions.map { "\($0.on) → \($0.to)" }
        #expect(all == ["go → a", "far → b", "late → b"])
        let findings = Lint(flow, moves: 2000).findings
        #expect(!findings.isEmpty && findings.allSatisfy { $0.isIncomplete }, "\(findings)")
    }

    @Test func `diagrams mark rows that no try took`() throws {
        let flow = try flowFile(Self.distantRow).flow
        // No search is long enough for this row.
        Lint.searchForRows(of: flow, moves: 2000)
        let diagram = Diagram(flow)
        #expect(
            diagram.text(.dot).contains(
                "\"a\" -> \"b\" [label=\"far\", style=dashed, color=gray50, fontcolor=gray50]"))
        #expect(diagram.text(.mermaid).contains("a --> b: far (not tried)"))
        #expect(
            diagram.text(.scxml).contains(
                "<transition event=\"far\" target=\"b\" gamed:effects=\"light\" gamed:tried=\"false\"/>"
            ))
    }

    /// A session takes `open` after some time only, and nothing takes `never`.
    private static let deepRows = """
        flow: deep
        start: a
        events: {go: {}, open: {}, never: {}}
        states:
          a: {on: {go: b}}
          b:
            data: {wide: boolean = false}
            timers: {half: {after: 5m}, end: {after: 10m}}
            on:
              half: {with: {wide: true}}
              open: {if: wide and left(end) < 6m, to: a}
              never: {if: left(end) > 10m, to: a}
              end: a
        """

    @Test func `a diagram marks no row that the search of lint takes`() throws {
        let flow = try flowFile(Self.deepRows).flow
        #expect(untriedRows(flow.survey) == ["b open", "b never"])
        #expect(!flow.isSearched)
        // The time that is left has many values, so the whole search would be long.
        let moves = 2000
        Lint.searchForRows(of: flow, moves: moves)
        let diagram = Diagram(flow).text(.mermaid)
        #expect(diagram.contains("b --> a: open, ⏱ end 10 min\n"), "\(diagram)")
        #expect(diagram.contains("b --> a: never (not tried)\n"), "\(diagram)")
        #expect(flow.isSearched)
        let lint = Lint(try flowFile(Self.deepRows).flow, moves: moves)
        #expect(untriedRows(lint.matrix) == ["b never"])
        #expect(untriedRows(Lint(flow, moves: moves).matrix) == ["b never"])
    }

    private func untriedRows(_ states: [StateSurvey]) -> [String] {
        states.flatMap { state in
            state.results.flatMap { result in
                result.outcomes.indices.filter { !result.wasTried(outcomeAt: $0) }.map { _ in
                    "\(state.state) \(result.on)"
                }
            }
        }
    }

    @Test func `the diagram of the lighthouse has no row that was not tried`() throws {
        let flow = try FlowFile(
            path: RepositoryFile.root + "/Examples/cases/lighthouse.yaml"
        ).flow
        #expect(!Diagram(flow).text(.mermaid).contains("not tried"))
    }

    // MARK: the effort of a survey

    /// A form: one event with texts as arguments, and states with texts as data.
    private static func form(texts: Int, states: Int) -> String {
        let fields = (0..<texts).map { "t\($0): text" }.joined(separator: ", ")
        let data = (0..<texts).map { "t\($0): text = x" }.joined(separator: ", ")
        return "flow: form\nstart: s0\nevents:\n  fill: {\(fields)}\nstates:\n"
            + (0..<states).map {
                "  s\($0): {data: {\(data)}, on: {fill: s\(($0 + 1) % states)}}\n"
            }.joined()
    }

    @Test(arguments: [(5, 4), (8, 6), (60, 1), (60, 6), (3, 200)])
    func `the number of tries of a survey is bounded`(_ texts: Int, _ states: Int) throws {
        let flow = try flowFile(Self.form(texts: texts, states: states)).flow
        let result = flow.surveyResult
        // Each event of each state is tried at least once, whatever the limit is.
        #expect(result.tries <= SearchLimit.surveyTries.maximum + 2 * states, "\(result.tries)")
        #expect(!result.isWhole)
        #expect(result.states.allSatisfy { $0.successors.count == 1 })
        #expect(flow.events[0].samples.count <= 256)
    }

    @Test func `the data of a flow file are known without a try`() throws {
        let flow = try flowFile(Self.form(texts: 60, states: 6)).flow
        #expect(flow.data(of: "s3").map(\.name) == (0..<60).map { "t\($0)" })
        #expect(!flow.isSurveyed)
    }
}
