import GameFlow
import Glibc
import JSON
import ShippedFlows
import Timers

/// `FlowBench`: what an event costs a machine, in nanoseconds, the best of five rounds. statem.erl does the same with
/// gen_statem. Prints "COUNTDOWN BOTH CYCLE NAMED": a countdown in each of two states, a countdown and a pendulum,
/// the game's cycle, and the cycle by name and with arguments.
@main struct FlowBench {
    static let count = 300_000

    static func main() throws {
        let clock = VirtualClock()
        let one = StateMachine(TwoStates(hasPendulum: false), on: clock)
        let both = StateMachine(TwoStates(hasPendulum: true), on: clock)
        let game = StateMachine(Game(), on: clock)
        try game.send(.startPlaying)
        try game.send(.chooseEpisode(episode: 2))
        let results = [
            try best(2) {
                try one.send(.go)
                try one.send(.stop)
            },
            try best(2) {
                try both.send(.go)
                try both.send(.stop)
            },
            try best(3) {
                try game.send(.chooseLevel(level: 3))
                try game.send(.completeLevel(score: 100))
                try game.send(.dismissFinishedLevel)
            },
            try named(clock),
        ]
        print(results.map { "\($0)" }.joined(separator: " "))
    }

    /// The cycle through the face that knows no types, as events come from a connection.
    static func named(_ clock: VirtualClock) throws -> Int {
        let flow = AnyFlow(Game())
        let machine = flow.machine(on: clock.timerQueue, EventQueue(), observer: nil)
        let source = Source(.unix)
        try machine.open(nil, [], from: source)
        try machine.send(flow.event("startPlaying"), [], from: source)
        try machine.send(flow.event("chooseEpisode"), [Member("episode", 2)], from: source)
        return try best(3) {
            try machine.send(flow.event("chooseLevel"), [Member("level", 3)], from: source)
            try machine.send(flow.event("completeLevel"), [Member("score", 100)], from: source)
            try machine.send(flow.event("dismissFinishedLevel"), [], from: source)
        }
    }

    /// The time of one event, where a round of `work` sends `events`.
    static func best(_ events: Int, _ work: () throws -> Void) rethrows -> Int {
        var best = Int.max
        for _ in 0..<5 {
            let start = now()
            for _ in 0..<count { try work() }
            best = min(best, (now() - start) / (count * events))
        }
        return best
    }

    static func now() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
