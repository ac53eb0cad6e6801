import CMalloc
import GameFlow
import Sessions
import ShippedFlows
import Timers

/// The average number of bytes allocated for a machine, or for a session, with two timers. A million of them are created.
/// Objects that all machines share, such as the flow and its engine, are created before and are not counted.
enum Memory {
    static let count = 1_000_000

    /// The bytes of a typed machine in `playingLevel`, the state of the game with a countdown and a pendulum.
    static func machine() throws -> Int {
        let clock = VirtualClock()
        let engine = Engine<Game.State, Game.Event>(Game())
        let flow = AnyFlow(Game(), engine)
        return try bytesOfEach {
            var machines: [StateMachine<Game.State, Game.Event>] = []
            machines.reserveCapacity(count)
            for _ in 0..<count {
                let game = StateMachine(flow, engine, on: clock)
                try game.send(.startPlaying)
                try game.send(.chooseEpisode(episode: 2))
                try game.send(.chooseLevel(level: 3))
                machines.append(game)
            }
            return machines
        }
    }

    /// The bytes of a machine of a shared definition, in a state with one countdown.
    static func machineWithCountdown() -> Int {
        let clock = VirtualClock()
        let definition = FlowDefinition(TwoStates(hasPendulum: false))
        // The first machine makes what belongs to the flow.
        let first = definition.machine(on: clock)
        defer { withExtendedLifetime(first) {} }
        return bytesOfEach {
            var machines: [StateMachine<TwoStates.State, TwoStates.Event>] = []
            machines.reserveCapacity(count)
            for _ in 0..<count { machines.append(definition.machine(on: clock)) }
            return machines
        }
    }

    /// A session in the same state, without a journal.
    static func session() throws -> Int {
        var limits = Limits()
        limits.sessions = count
        let sessions = Sessions(
            [any Flow].shipped.map { $0.anyFlow }, on: VirtualClock(), limits: limits)
        let (game, source) = (try sessions.flow("game"), Source(.program))
        let data = [Member("episode", 2), Member("level", 3)]
        return try bytesOfEach {
            for number in 0..<count {
                let name = SessionName("room-\(number)")!  // a valid name
                _ = try sessions.open(
                    name, game, state: "playingLevel", data: data, RequestContext(from: source))
            }
            return sessions
        }
    }

    /// The allocated bytes divided by `count`. `make` returns `count` objects.
    private static func bytesOfEach(_ make: () throws -> Any) rethrows -> Int {
        let before = allocated_bytes()
        let objects = try make()
        let after = allocated_bytes()
        return withExtendedLifetime(objects) { Int(after - before) / count }
    }
}
