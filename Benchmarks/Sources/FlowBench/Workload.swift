import GameFlow
import GameOutsidePackage
import ShippedFlows
import Timers

/// A round of events that is sent repeatedly to one machine.
struct Workload {
    let name: String
    let eventsInRound: Int
    /// Runs a number of rounds.
    let run: (_ rounds: Int) throws -> Void

    struct UnknownWorkload: Error {}

    /// All workloads, in the order in which FlowBench prints their times.
    static var all: [Workload] {
        get throws {
            [
                twoStates("countdown", hasPendulum: false), twoStates("both", hasPendulum: true),
                try cycle(), try outside(), try cycleByName("named", games[0].anyFlow),
                try cycleByName("outside-named", games[1].anyFlow),
                try cycleByName("watched", games[0].anyFlow, observer: StepObserver()),
            ]
        }
    }

    /// The game of ShippedFlows, and its copy in GameOutsidePackage. The elements have the type `any Flow`, as in the list for
    /// `GamedServer.run`. So the compiler cannot specialize code for the concrete types of the flows.
    nonisolated(unsafe) private static let games =
        Array([any Flow].shipped.prefix(1)) + [GameOutsidePackage.Game()]

    static func named(_ name: String) throws -> Workload {
        if name == observed.name { return observed }
        guard let found = try all.first(where: { $0.name == name }) else { throw UnknownWorkload() }
        return found
    }

    /// Transitions between two states with a countdown each, and optionally a pendulum.
    static func twoStates(_ name: String, hasPendulum: Bool) -> Workload {
        let machine = StateMachine(TwoStates(hasPendulum: hasPendulum), on: VirtualClock())
        return Workload(name: name, eventsInRound: 2) { rounds in
            for _ in 0..<rounds {
                try machine.send(.go)
                try machine.send(.stop)
            }
        }
    }

    /// `countdown` with one observer, which gets the old and the new state.
    static var observed: Workload {
        let machine = StateMachine(TwoStates(hasPendulum: false), on: VirtualClock())
        var changes = 0
        let observation = machine.observe { _, _ in changes += 1 }
        return Workload(name: "observed", eventsInRound: 2) { rounds in
            defer { withExtendedLifetime(observation) {} }
            for _ in 0..<rounds {
                try machine.send(.go)
                try machine.send(.stop)
            }
        }
    }

    /// The cycle of the shipped game: a level is chosen, completed, and its score dismissed.
    static func cycle() throws -> Workload {
        let game = StateMachine(ShippedFlows.Game(), on: VirtualClock())
        try game.send(.startPlaying)
        try game.send(.chooseEpisode(episode: 2))
        return Workload(name: "cycle", eventsInRound: 3) { rounds in
            for _ in 0..<rounds {
                try game.send(.chooseLevel(level: 3))
                try game.send(.completeLevel(score: 100))
                try game.send(.dismissFinishedLevel)
            }
        }
    }

    /// The same cycle, with the copy of the game that is compiled outside of the package gamed.
    static func outside() throws -> Workload {
        let game = StateMachine(GameOutsidePackage.Game(), on: VirtualClock())
        try game.send(.startPlaying)
        try game.send(.chooseEpisode(episode: 2))
        return Workload(name: "outside", eventsInRound: 3) { rounds in
            for _ in 0..<rounds {
                try game.send(.chooseLevel(level: 3))
                try game.send(.completeLevel(score: 100))
                try game.send(.dismissFinishedLevel)
            }
        }
    }

    /// The game's cycle through the untyped machine: events by name, as they come from a connection.
    static func cycleByName(
        _ name: String, _ flow: AnyFlow, observer: StepObserver? = nil
    ) throws -> Workload {
        let clock = VirtualClock()
        let machine = flow.machine(on: clock.timerQueue, EventQueue(), observer: observer)
        let source = Source(.program)
        try machine.open(nil, [], from: source)
        try machine.send(flow.event("startPlaying"), [], from: source)
        try machine.send(flow.event("chooseEpisode"), [Member("episode", 2)], from: source)
        return Workload(name: name, eventsInRound: 3) { rounds in
            defer { withExtendedLifetime(observer) {} }
            for _ in 0..<rounds {
                try machine.send(flow.event("chooseLevel"), [Member("level", 3)], from: source)
                try machine.send(flow.event("completeLevel"), [Member("score", 100)], from: source)
                try machine.send(flow.event("dismissFinishedLevel"), [], from: source)
            }
        }
    }
}

/// Stores the most recent step, as a session does.
final class StepObserver: MachineObserver {
    private var last: Step?

    func completed(_ step: consuming Step) { last = step }
    func refused(_ event: EventRecord, _ source: Source, _ refusal: Reason) {}
}
