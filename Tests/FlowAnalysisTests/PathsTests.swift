import FlowAnalysis
import GameFlow
import ShippedFlows
import TestSupport
import Testing
import Timers

@Suite struct PathsTests {
    /// The event or signal of each move of a path.
    private func moves(_ path: Paths.Path?) -> [String]? { path?.moves.compactMap(\.move.event) }

    @Test func `the path with the fewest moves and the quickest path can differ`() throws {
        let paths = Paths(Exploration(AnyFlow(Startup())))
        let inSteps = try #require(paths.shortestInMoves(to: "error"))
        #expect(moves(inSteps) == ["launchTimedOut"])
        #expect(inSteps.time == .seconds(5))
        let inTime = try #require(paths.shortestInTime(to: "error"))
        #expect(moves(inTime) == ["didLaunch", "tokenFound", "tokenRejected"])
        #expect(inTime.time == .zero)
    }

    @Test func `the time of a path of waits is the sum of the timers' durations`() throws {
        let flow = ExampleFlow.with {
            $0.rows = ["a over": .enter(.b), "b over": .enter(.c), "c go": .enter(.end)]
            $0.timersByState = [
                .a: [.countdown(.seconds(3), sends: .over)],
                .b: [.countdown(.seconds(4), sends: .over), .pendulum(.seconds(1), sends: .beat)],
            ]
            $0.rows["b beat"] = .keep(nil)
        }
        let path = try #require(Paths(Exploration(flow)).shortestInTime(to: "end"))
        #expect(moves(path) == ["over", "over", "go"])
        #expect(path.moves.map(\.duration) == [.seconds(3), .seconds(4), .zero])
    }

    @Test func `a path with more moves and less time is found`() throws {
        let flow = ExampleFlow.with {
            $0.rows = [
                "a over": .enter(.end), "a go": .enter(.b), "b go": .enter(.c),
                "c over": .enter(.end),
            ]
            $0.timersByState = [
                .a: [.countdown(.seconds(9), sends: .over)],
                .c: [.countdown(.seconds(2), sends: .over)],
            ]
        }
        let paths = Paths(Exploration(flow))
        #expect(moves(paths.shortestInMoves(to: "end")) == ["over"])
        #expect(moves(paths.shortestInTime(to: "end")) == ["go", "go", "over"])
    }

    @Test func `an unreachable state has no path`() {
        let paths = Paths(Exploration(ExampleFlow.with { $0.rows["a leap"] = nil }))
        #expect(paths.shortestInMoves(to: "c") == nil)
        #expect(paths.shortestInTime(to: "c") == nil)
        #expect(paths.shortestInMoves(to: "a")?.moveCount == 0)
    }

    @Test func `each shipped state is reachable by its path`() throws {
        for flow in AnyFlow.shipped() {
            let paths = Paths(Exploration(flow))
            for state in flow.stateNames {
                let path = try #require(paths.shortestInTime(to: state), "\(flow.name) \(state)")
                #expect(path.moves.last?.place.state ?? flow.initial == state)
            }
        }
    }

    @Test func `the scenarios of a tour pass, and take each transition and each timer`() throws {
        for flow in AnyFlow.shipped() + [AnyFlow(ExampleFlow())] {
            let tour = Tour(Exploration(flow))
            #expect(tour.missed.isEmpty, "\(flow.name)")
            let reader = ScenarioReader(
                Array(tour.text.utf8), file: "tour.scenario", flows: [flow])
            #expect(reader.errors == [])
            var coverage = Coverage(flow)
            for scenario in reader.scenarios {
                let run = ScenarioRun(scenario)
                #expect(run.failure == nil, "\(flow.name): \(scenario.title)")
                coverage.add(run.coverage)
            }
            #expect(coverage.transitions.isSuperset(of: coverage.allTransitions), "\(flow.name)")
            #expect(coverage.timers.isSuperset(of: coverage.allTimers), "\(flow.name)")
        }
    }

    @Test(arguments: [[ExampleFlow.State.a], [.b], [.a, .b]])
    func `a tour through states with timers of zero duration passes`(_ states: [ExampleFlow.State])
        throws
    {
        let flow = ExampleFlow.with {
            $0.timersByState = [:]
            $0.rows = [
                "a go": .enter(.b), "b over": .enter(.c), "c leap": .enter(.end),
                "a over": .enter(.b, .light), "b go": .enter(.c),
            ]
            for state in states {
                $0.timersByState[state] = [.countdown(.zero, sends: .over)]
            }
        }
        let tour = Tour(Exploration(flow))
        let reader = ScenarioReader(Array(tour.text.utf8), file: "t", flows: [flow])
        #expect(reader.errors == [])
        var coverage = Coverage(flow)
        for scenario in reader.scenarios {
            let run = ScenarioRun(scenario)
            #expect(run.failure == nil, "\(tour.text)")
            coverage.add(run.coverage)
        }
        // No scenario sends an event before a timer that is due.
        let missed = Set(flow.stateNames.filter { name in states.contains { "\($0)" == name } })
        #expect(tour.missed.allSatisfy { missed.contains($0.from) && $0.on == "go" })
        #expect(
            coverage.transitions.union(tour.missed) == Set(coverage.allTransitions), "\(tour.text)")
    }

    @Test func `a state that is reached only by an event in the middle of a countdown is found`()
        throws
    {
        let flow = AnyFlow(Sprint())
        #expect(Lint(flow).findings == [])
        let paths = Paths(Exploration(flow))
        let path = try #require(paths.shortestInTime(to: "won"))
        // A `Sprint` of 90 s is won only if the event `rest` comes after more than 29 s.
        #expect(path.time == .seconds(90))
        for state in flow.stateNames { #expect(paths.shortestInTime(to: state) != nil, "\(state)") }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a tour of a flow with time-dependent transitions ends`() throws {
        let tour = Tour(Exploration(AnyFlow(Sprint())))
        let reader = ScenarioReader(
            Array(tour.text.utf8), file: "t", flows: [AnyFlow(Sprint())])
        #expect(reader.errors == [])
        for scenario in reader.scenarios { #expect(ScenarioRun(scenario).failure == nil) }
    }

    @Test func `an exploration that reaches the limit is incomplete`() {
        let exploration = Exploration(AnyFlow(Counter()), moves: 100)
        #expect(!Paths(exploration).isComplete)
        #expect(!Races(exploration).isComplete)
        #expect(Paths(Exploration(AnyFlow(ExampleFlow()))).isComplete)
    }

    @Test func `a tour lists the transitions that no path reaches`() {
        let flow = ExampleFlow.with { $0.rows["a leap"] = nil }
        let missed = Tour(Exploration(flow)).missed
        #expect(missed.map { "\($0.from) \($0.on)" } == ["c back"])
    }
}
