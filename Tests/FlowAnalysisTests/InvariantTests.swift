import FlowAnalysis
import GameFlow
import Testing
import Timers

/// Lint, races and scenarios check the invariants of a flow.
@Suite struct InvariantTests {
    private let flow = AnyFlow(Counted())

    private func run(_ text: String) throws -> ScenarioRun {
        let reader = ScenarioReader(Array(text.utf8), file: "t.scenario", flows: [flow])
        #expect(reader.errors.map(\.sentence) == [])
        return ScenarioRun(try #require(reader.scenarios.first))
    }

    @Test func `lint finds an invariant that does not hold, with the shortest path`() throws {
        let finding = try #require(Lint(flow).findings.first { $0.name == "brokenInvariant" })
        #expect(
            finding
                == .brokenInvariant(
                    "there are at most two", state: "counting number=3",
                    path: ["count", "count", "count"]))
        #expect(
            finding.sentence
                == "there are at most two: this does not hold in counting number=3, after count · count · count"
        )
    }

    @Test(arguments: [
        ("open counted state=counting number=3", 1, "counting number=3"),
        (
            "open counted\nsend count\nsend count\nsend count\nexpect counting", 4,
            "counting number=3"
        ),
        ("open counted\ngoto counting number=4", 2, "counting number=4"),
    ])
    func `a scenario fails at the line after which an invariant does not hold`(
        _ text: String, _ line: Int, _ state: String
    ) throws {
        let failure = try #require(try run(text).failure)
        #expect(failure.line == line)
        #expect(failure.expected == "the invariant holds: there are at most two")
        #expect(failure.was == "broken in \(state)")
    }

    @Test func `a scenario also checks the states that one line passes through`() throws {
        // The timer of `rising` enters `falling` with 3, and the timer of `falling` enters `counting` with 0.
        let failure = try #require(
            try run("open counted state=rising\nafter 2s\nexpect counting number=0").failure)
        #expect(failure.line == 2 && failure.was == "broken in falling number=3")
    }

    @Test func `a scenario in which the invariants hold passes`() throws {
        #expect(
            try run("open counted\nsend count\nsend count\nexpect counting number=2").failure == nil
        )
    }

    @Test func `races report an invariant once, with the shortest path`() throws {
        let broken = Races(flow).brokenInvariants
        #expect(broken.map(\.sentence) == ["there are at most two"])
        #expect(broken.first?.place.description == "counting number=3")
        #expect(broken.first?.path.map(\.move) == Array(repeating: .send("count", []), count: 3))
        #expect(broken.first?.order.isEmpty == true)
    }

    @Test func `races find an invariant that only one order of an instant breaks`() throws {
        let broken = try #require(Races(AnyFlow(LastMoment())).brokenInvariants.first)
        #expect(broken.sentence == "more than 1 ms is left")
        #expect(broken.place.state == "stopped")
        #expect(broken.path.isEmpty && broken.after == .seconds(10))
        #expect(broken.order.map(\.name) == ["stop", "over"])
        #expect(Lint(AnyFlow(LastMoment())).findings.isEmpty)
    }
}

/// Counts to four; its invariant allows only two. No event leads to `rising`, but a session can be opened there: a timer then
/// enters `falling` with 3, and the timer of `falling` enters `counting` with 0.
private struct Counted: Flow {
    enum StateName: String, CaseIterable { case counting, rising, falling, done }
    enum State {
        case counting(Int)
        case rising(Countdown)
        case falling(Int, Countdown)
        case done
    }
    enum Event: FlowEvent {
        case count, stop
        case due(Signal)

        enum Signal: UInt8, CaseIterable { case over }
    }

    var finals: [StateName] { [.done] }
    var events: [EventSchema<Event>] { EventSchema.plain(.count, .stop) }
    var invariants: [Invariant<State>] {
        [
            Invariant("there are at most two") {
                switch $0 {
                case .counting(let n), .falling(let n, _): n <= 2
                case .rising, .done: true
                }
            }
        ]
    }

    func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Counted> {
        switch (state, event) {
        case (.counting(let n), .count) where n < 4: keep(nil, .counting(n + 1))
        case (.counting, .stop): enter { _ in .done }
        case (.rising, .due(.over)): enter { .falling(3, $0.countdown(.seconds(1), .over)) }
        case (.falling, .due(.over)): enter { _ in .counting(0) }
        default: throw .noTransition
        }
    }

    func describe(_ state: State) -> StateDescription<StateName> {
        switch state {
        case .counting(let n): .init(.counting, [Member("number", n)])
        case .rising: .init(.rising)
        case .falling(let n, _): .init(.falling, [Member("number", n)])
        case .done: .init(.done)
        }
    }

    func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<Counted> {
        switch name {
        case .counting:
            let n: Int = try data.optional("number", samples: [0, 1, 2, 3, 4]) ?? 0
            return enter { _ in .counting(n) }
        case .rising: return enter { .rising($0.countdown(.seconds(1), .over)) }
        case .falling:
            let n: Int = try data.optional("number", samples: [3]) ?? 0
            return enter { .falling(n, $0.countdown(.seconds(1), .over)) }
        case .done: return enter { _ in .done }
        }
    }
}

/// Can be stopped during 10 s. The stop at the very end of the time breaks the invariant.
private struct LastMoment: Flow {
    enum StateName: String, CaseIterable { case running, stopped, over }
    enum State {
        case running(Countdown)
        case stopped(leftMs: Int)
        case over
    }
    enum Event: FlowEvent {
        case stop
        case due(Signal)

        enum Signal: UInt8, CaseIterable { case over }
    }

    var finals: [StateName] { [.stopped, .over] }
    var events: [EventSchema<Event>] { EventSchema.plain(.stop) }
    var invariants: [Invariant<State>] {
        [
            Invariant("more than 1 ms is left") {
                if case .stopped(let left) = $0 { left > 1 } else { true }
            }
        ]
    }

    func select(_ state: State, _ event: Event) throws(Reason) -> Transition<LastMoment> {
        switch (state, event) {
        case (.running(let clock), .stop):
            enter { [left = Int(clock.remaining.milliseconds)] _ in .stopped(leftMs: left) }
        case (.running, .due(.over)): enter { _ in .over }
        default: throw .noTransition
        }
    }

    func describe(_ state: State) -> StateDescription<StateName> {
        switch state {
        case .running: .init(.running)
        case .stopped(let left): .init(.stopped, [Member("leftMs", left)])
        case .over: .init(.over)
        }
    }

    func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<LastMoment> {
        switch name {
        case .running: return enter { .running($0.countdown(.seconds(10), .over)) }
        case .stopped:
            let left: Int = try data("leftMs", samples: [2])
            return enter { _ in .stopped(leftMs: left) }
        case .over: return enter { _ in .over }
        }
    }
}
