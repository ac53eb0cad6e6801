import GameFlow
import ShippedFlows
import TestSupport
import Testing
import Timers

@testable import FlowAnalysis

@Suite struct RacesTests {
    /// The example flow without the events that could race with the timers of `b`. The timers of `b` are the countdown `over`
    /// of 10 s, which leads to `a`, and the pendulum `beat` of 1 s. `b` still accepts `back`, unless a test removes it. `end`
    /// is reached from `c`, which has no timers.
    private func flowWithoutRaces(_ change: (inout ExampleFlow) -> Void) -> AnyFlow {
        ExampleFlow.with {
            $0.rows["b stop"] = nil
            $0.rows["a go"] = nil
            $0.rows["a call"] = nil
            $0.rows["a leap"] = nil
            $0.rows["c stop"] = .enter(.end)
            change(&$0)
        }
    }

    /// The flow of `flowWithoutRaces`, with an added timer that leads from `a` to `b`. So a race is possible only after a wait.
    private func flowWithWait(_ change: (inout ExampleFlow) -> Void) -> AnyFlow {
        flowWithoutRaces {
            $0.timersByState[.a] = [.countdown(.seconds(5), sends: .beat)]
            $0.rows["a beat"] = .enter(.b)
            change(&$0)
        }
    }

    @Test func `the searches of the shipped flows are complete`() {
        for flow in AnyFlow.shipped() {
            #expect(Races(flow).incompleteness == [], "\(flow.name)")
            #expect(Paths(flow).isComplete, "\(flow.name)")
        }
    }

    @Test func `a search for races ends after its moves, and says so`() {
        let races = Races(AnyFlow(DistantEnd()), moves: 4000)
        #expect(!races.isComplete)
        #expect(races.incompleteness.allSatisfy { $0.contains("limit: racesMoves") })
    }

    @Test func `orders with equal outcomes are not a race`() {
        let races = Races(flowWithWait { $0.rows["b back"] = .enter(.a) })
        #expect(races.found.filter { $0.state == "b" }.isEmpty)
        #expect(Races(flowWithWait { $0.rows["b back"] = nil }).found.isEmpty)
        #expect(races.examined.instants > 0)
        #expect(races.examined.orders > 0)
    }

    @Test func `two timers at one instant with different outcomes are a race`() throws {
        let flow = flowWithWait {
            $0.timersByState[.b] = [
                .countdown(.seconds(10), sends: .over), .countdown(.seconds(10), sends: .beat),
            ]
            $0.rows["b beat"] = .enter(.c)
        }
        let race = try #require(Races(flow).found.first { $0.state == "b" })
        #expect(race.after == .seconds(10))
        #expect(race.contenders == [.timer("over"), .timer("beat")])
        #expect(race.outcomes.map(\.place.state) == ["a", "c"])
        #expect(race.outcomes.map { $0.losers.map(\.name) } == [["beat"], ["over"]])
        #expect(race.path.map(\.move) == [.wait("beat")])
        #expect(race.time == .seconds(15))
        #expect(!race.isOnlyEffects)
    }

    @Test func `a race of a pendulum and a countdown after many beats is found`() throws {
        let flow = flowWithWait {
            $0.timersByState[.b] = [
                .countdown(.seconds(10), sends: .over),
                .pendulum(.milliseconds(2500), sends: .beat),
            ]
            $0.rows["b beat"] = .keep(.light)
        }
        let race = try #require(
            Races(flow).found.first { $0.contenders == [.timer("over"), .timer("beat")] })
        #expect(race.after == .seconds(10))
        #expect(race.outcomes.map(\.effects) == [[], ["light"]])
        #expect(race.isOnlyEffects)
    }

    @Test func `an event at a deadline is a race if the outcome differs`() throws {
        let flow = flowWithWait { $0.rows["b stop"] = .enter(.end) }
        let races = Races(flow).found.filter { $0.state == "b" }
        #expect(races.count == 1)
        let race = try #require(races.first)
        #expect(race.contenders.map(\.name) == ["over", "stop"])
        #expect(race.outcomes.map(\.place.state) == ["a", "end"])
        // The losers are the timers and events of that instant that have no effect. The pendulum `beat` is a loser, because its
        // state has been left.
        #expect(race.outcomes[0].losers.map(\.name) == ["beat", "stop"])
        #expect(race.outcomes[1].losers.map(\.name) == ["over", "beat"])
    }

    @Test
    func
        `if only the next state accepts an event, the event races with the timer that enters that state`()
        throws
    {
        let race = try #require(Races(flowWithWait { _ in }).found.first { $0.state == "a" })
        #expect(race.contenders.map(\.name) == ["beat", "back"])
        #expect(race.outcomes.map(\.place.state) == ["a", "b"])
        #expect(race.outcomes[1].losers.map(\.name) == ["back"])
    }

    @Test
    func `a path of two events is preferred to a wait for a timer`() throws {
        let flow = ExampleFlow.with {
            $0.rows = [
                "a over": .enter(.c), "a go": .enter(.b), "b go": .enter(.c),
                "c over": .enter(.a), "c stop": .enter(.end),
            ]
            $0.timersByState = [
                .a: [.countdown(.seconds(60), sends: .over)],
                .c: [.countdown(.seconds(2), sends: .over)],
            ]
        }
        let race = try #require(
            Races(flow).found.first {
                $0.state == "c" && $0.contenders.map(\.name) == ["over", "stop"]
            })
        #expect(race.path.map(\.move) == [.send("go", []), .send("go", [])])
        #expect(race.time == .seconds(2))
    }

    @Test func `the first order of a race begins with the timer that was set first`() throws {
        let flow = flowWithWait {
            $0.timersByState[.b] = [
                .countdown(.seconds(10), sends: .over), .countdown(.seconds(10), sends: .beat),
            ]
            $0.rows["b beat"] = .keep(.light)
            $0.rows["b stop"] = .enter(.end)
        }
        let races = Races(flow).found.filter { $0.state == "b" }
        #expect(!races.isEmpty)
        for race in races {
            #expect(race.outcomes[0].order.first == .timer("over"))
            #expect(race.outcomes[0].place.state == "a")
        }
    }

    @Test func `of two paths with equally many steps, the path that sends an event is preferred`()
        throws
    {
        let flow = flowWithWait {
            $0.rows["b stop"] = .enter(.end)
            $0.rows["a go"] = .enter(.b)
        }
        let race = try #require(Races(flow).found.first { $0.state == "b" })
        #expect(race.path.map(\.move) == [.send("go", [])])
        #expect(race.time == .seconds(10))
    }

    @Test func `the game's race is found, and timers precede events in its contenders`() throws {
        let races = Races(AnyFlow(Game())).found
        let race = try #require(
            races.first { $0.contenders.map(\.name) == ["timeUp", "completeLevel"] })
        #expect(race.state == "playingLevel")
        #expect(race.time == .seconds(90))
        // The time-out gives the score 0; `completeLevel` is sent with the arguments of its sample, whose score is 1.
        #expect(race.outcomes.map { $0.place.data["score"] } == [.int(0), .int(1)])
        #expect(race.outcomes[0].losers.map(\.name) == ["tick", "completeLevel"])
    }

    /// The first outcome of a race equals the outcome in a session that reaches the instant of the race and then receives the
    /// event.
    @Test(arguments: ["game", "startup", "registration", "onboarding", "permissions", "quiz"])
    func `the first order of a race is the order in which the daemon acts`(_ name: String) throws {
        let flow = try #require(AnyFlow.shipped().first { $0.name == name })
        let races = Races(flow).found
        #expect(!races.isEmpty)
        for race in races {
            let trial = Trial(flow, after: race.path.map(\.move))
            trial.clock.advance(by: race.after)
            for case .event(.send(let event, let arguments)) in race.contenders {
                _ = trial.send(event, arguments)
            }
            let names = race.contenders.map(\.name)
            #expect(trial.machine.place == race.outcomes[0].place, "\(race.state) \(names)")
        }
    }

    @Test func `each outcome comes from a different order of the same contenders`() throws {
        for race in Races(AnyFlow(Quiz())).found {
            let orders = race.outcomes.map { $0.order.map(\.name) }
            #expect(orders.count >= 2)
            #expect(race.contenders.allSatisfy { orders[0].contains($0.name) })
            #expect(Set(orders.map { "\($0)" }).count == orders.count)
            for order in orders { #expect(order.sorted() == orders[0].sorted()) }
        }
    }
}
