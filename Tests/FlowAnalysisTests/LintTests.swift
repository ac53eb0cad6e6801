import FlowAnalysis
import GameFlow
import ShippedFlows
import TestSupport
import Testing
import Timers

/// Each test adds a defect to `ExampleFlow`, which has the states `a`, `b`, `c` and the final state `end`. Its table `rows`
/// says what a state does for an event or signal: `"a go"` is the event `go` in the state `a`, and `.keep(nil)` stays without
/// effects. The timers of `b` are the countdown `over` of 10 s, which leads to `a`, and the pendulum `beat` of 1 s.
@Suite struct LintTests {
    @Test func `a flow without defects has no findings`() {
        let lint = Lint(AnyFlow(ExampleFlow()))
        #expect(lint.findings == [])
        // Five situations: lint tries each of the four states at its entry. It also tries `b` when half of the countdown has
        // passed.
        #expect(lint.explored == (5, true))
    }

    @Test func `lint finds nothing in the shipped flows`() {
        for flow in AnyFlow.shipped() {
            let lint = Lint(flow)
            #expect(lint.findings == [], "\(flow.name)")
            #expect(
                lint.explored.isComplete,
                "\(flow.name) has more situations than the exploration visits: give each datum that can grow a limit"
            )
        }
    }

    @Test func `an unreachable state is found`() {
        let flow = ExampleFlow.with { $0.rows["a leap"] = .enter(.b) }
        #expect(Lint(flow).findings == [.unreachableState("c")])
    }

    @Test func `a state that only a timer enters is reachable`() {
        let flow = ExampleFlow.with {
            $0.rows["a leap"] = .enter(.b)
            $0.rows["b over"] = .enter(.c)
        }
        #expect(Lint(flow).findings == [])
    }

    @Test func `an event that no state takes is found`() {
        let flow = ExampleFlow.with { $0.rows["a call"] = nil }
        #expect(Lint(flow).findings == [.deadEvent("call")])
    }

    @Test func `an event that is only deferred is not dead`() {
        let flow = ExampleFlow.with { $0.rows["a call"] = .wait }
        #expect(Lint(flow).findings == [])
    }

    @Test func `a state with neither exit nor timer is found`() {
        let flow = ExampleFlow.with { $0.rows["c back"] = nil }
        #expect(Lint(flow).findings == [.deadEnd("c")])
    }

    @Test func `a state that leads only to itself is a dead end`() {
        let flow = ExampleFlow.with { $0.rows["c back"] = .enter(.c) }
        #expect(Lint(flow).findings == [.deadEnd("c")])
    }

    @Test func `a state that refuses its own timer's signal is found`() {
        let flow = ExampleFlow.with {
            $0.rows["b beat"] = nil
            $0.rows["c beat"] = .keep(nil)
        }
        #expect(Lint(flow).findings.contains(.unhandledSignal(state: "b", signal: "beat")))
    }

    @Test func `a signal that no state handles is a mistake of the flow`() {
        let flow = ExampleFlow.with { $0.rows["b beat"] = nil }
        #expect(
            Lint(flow).findings
                == [.mistake("no state handles the signal beat; add a row for it, or remove it")])
    }

    @Test func `a signal that no timer sends is found`() {
        let flow = ExampleFlow.with {
            $0.timersByState[.b] = [.countdown(.seconds(10), sends: .over)]
        }
        #expect(Lint(flow).findings == [.unsentSignal("beat")])
    }

    @Test(arguments: [10, 11, 3600])
    func `a timer that always loses to another is found`(_ seconds: Int64) {
        let flow = ExampleFlow.with {
            $0.timersByState[.b] = [
                .countdown(.seconds(10), sends: .over), .countdown(.seconds(seconds), sends: .beat),
            ]
        }
        #expect(Lint(flow).findings == [.hopelessTimer(state: "b", signal: "beat")])
    }

    @Test func `the first of two timers at one instant can win`() {
        let flow = ExampleFlow.with {
            $0.timersByState[.b] = [
                .countdown(.seconds(10), sends: .beat), .countdown(.seconds(10), sends: .over),
            ]
        }
        #expect(Lint(flow).findings == [])
    }

    @Test func `a row for another state's signal is found`() {
        let flow = ExampleFlow.with {
            $0.rows["c back"] = nil
            $0.rows["c over"] = .enter(.a)
        }
        #expect(
            Lint(flow).findings == [.deadEnd("c"), .idleRow(state: "c", signal: "over")])
    }

    @Test func `a countdown of zero is found`() {
        let flow = ExampleFlow.with {
            $0.timersByState[.b] = [
                .countdown(.zero, sends: .over), .pendulum(.seconds(1), sends: .beat),
            ]
        }
        #expect(
            Lint(flow).findings.contains(.instantTimer(state: "b", signal: "over")))
    }

    @Test func `a final state with a timer is found`() {
        let flow = ExampleFlow.with {
            $0.timersByState[.end] = [.countdown(.seconds(1), sends: .over)]
        }
        #expect(Lint(flow).findings == [.finalTimer(state: "end", signal: "over")])
    }

    @Test func `lint reports no unreachable states after an incomplete exploration`() {
        let lint = Lint(Exploration(AnyFlow(Counter()), moves: 100))
        #expect(!lint.explored.isComplete)
        let names = lint.findings.map(\.name)
        #expect(!names.contains("unreachableState") && !names.contains("unsentSignal"))
        #expect(Set(names).contains("incomplete"), "\(lint.findings)")
    }

    @Test func `a search that ends at its limit reports no dead end and no unreachable state`() {
        // `done` is reached after 201 events.
        let lint = Lint(AnyFlow(DistantEnd()), moves: 2000)
        #expect(!lint.explored.isComplete)
        #expect(!lint.findings.isEmpty)
        #expect(lint.findings.allSatisfy { $0.isIncomplete }, "\(lint.findings)")
        #expect(lint.findings.contains { $0.sentence.contains("number of counting") })
        #expect(lint.findings.contains { $0.sentence.contains("the state done") })
    }

    @Test(.timeLimit(.minutes(1)))
    func `a wait that reaches the limit of firings causes only the finding incomplete`() {
        let flow = ExampleFlow.with {
            $0.timersByState[.b] = [
                .countdown(.seconds(259_200), sends: .over), .pendulum(.seconds(1), sends: .beat),
            ]
            $0.rows["b over"] = .enter(.c)
            $0.rows["a leap"] = .enter(.b)
            // A wait ends after 100 000 firings, and `over` is due after more beats. Beats without an effect would be skipped.
            $0.rows["b beat"] = .keep(.light)
        }
        let lint = Lint(flow)
        #expect(!lint.explored.isComplete)
        #expect(!lint.findings.isEmpty && lint.findings.allSatisfy { $0.isIncomplete })
    }

    @Test func `data with which a restart cannot restore the state are found`() {
        #expect(Lint(AnyFlow(Locks())).findings == [])
        let finding = Finding.lostAtRestart(
            state: "escaped", data: [Member("solved", 4)], why: "invalid: solved: not within 0…3")
        #expect(Lint(AnyFlow(Locks(maximumSolved: 3))).findings == [finding])
        #expect(
            finding.sentence
                == "escaped with solved=4 is lost at a restart, because the state cannot be entered with these data: invalid: solved: not within 0…3"
        )
    }

    @Test func `the survey also finds transitions from data that are not among the flow's samples`()
        throws
    {
        let flow = AnyFlow(Locks())
        let playing = try #require(flow.survey.first { $0.state == "playing" })
        #expect(playing.successors == ["escaped", "playing"])
    }

    @Test func `lint finds a transition that the survey of the flow lacks`() {
        let findings = Lint(AnyFlow(Counter())).findings
        #expect(!findings.contains { if case .missingRow = $0 { true } else { false } })
        let findingsOfExploration = Lint(Exploration(AnyFlow(DistantEnd()))).findings
        #expect(
            findingsOfExploration == [.missingRow(from: "counting", on: "count", to: "done")])
    }

    @Test func `the matrix has the outcome of each state and event`() throws {
        let matrix = Lint(AnyFlow(Quiz())).matrix
        let question = try #require(matrix.first { $0.state == "question" })
        let buzz = try #require(question.results.first { $0.on == "buzz" })
        #expect(
            buzz.outcomes == [
                .enters("locked", effects: ["lock"]),
                .refused(.invalid("player", "out at this question")),
            ])
        let judge = try #require(question.results.first { $0.on == "judge" })
        #expect(judge.outcomes == [.refused(.noTransition)])
        let finished = try #require(matrix.first { $0.state == "finished" })
        #expect(finished.results.allSatisfy { $0.outcomes == [.refused(.finished)] })
        let launching = AnyFlow(Startup()).survey[0]
        #expect(launching.results.first { $0.on == "deepLink" }?.outcomes == [.defers])
    }
}
