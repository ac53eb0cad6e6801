import GameFlow
import Observation
import ShippedFlows
import Testing
import Timers

private final class User {
    struct Name: Hashable { var text: String }
    struct Rename: Hashable { var to: String }
    let machine: StateMachine<Name, Rename>
    let name: Derived<String>

    init(_ clock: VirtualClock) {
        machine = StateMachine(
            initial: Name(text: "Ada"), on: clock, reduce: { _, event in Name(text: event.to) })
        name = machine.derive { $0.text }
    }
}

/// Observation: the present value first, derived values, sequences, and the platform's Observation.
@MainActor @Suite struct ObservationListingTests {
    private let clock = VirtualClock()

    /// Sends the three events that lead to a played level.
    private func play(_ game: StateMachine<Game.State, Game.Event>) throws {
        try game.send(.startPlaying)
        try game.send(.chooseEpisode(episode: 1))
        try game.send(.chooseLevel(level: 1))
    }

    @Test func `an observer gets nil and the present state first, and ends with its token`() throws
    {
        let game = StateMachine(Game(), on: clock)
        var seen: [String] = []
        var token: ObservationToken? = game.observe { old, new in
            seen.append("\(old == nil ? "-" : "old") \(new.isPlaying)")
        }
        try play(game)
        #expect(seen == ["- false", "old false", "old false", "old true"])
        withExtendedLifetime(token) {}
        token = nil
        try game.send(.returnHome)
        #expect(seen.count == 4)
        #expect(clock.pending.isEmpty)
    }

    @Test func `a value derived from two values never combines an old and a new value`() throws {
        let game = StateMachine(Game(), on: clock)
        let user = User(clock)
        let title = game.derive { $0.isPlaying ? "Playing" : "Welcome" }
        #expect(title.value == "Welcome")
        let greeting = derive(title, user.name) { "\($0): \($1)" }
        #expect(greeting.value == "Welcome: Ada")
        var titles: [String] = []
        let token = greeting.observe { _, new in titles.append(new) }
        try play(game)
        try user.machine.send(User.Rename(to: "Bea"))
        #expect(titles == ["Welcome: Ada", "Playing: Ada", "Playing: Bea"])

        // `yes` and `no` are values of one machine that always differ. If `isMixed` is true, it combines an old value and a new
        // value.
        let (yes, no) = (game.derive { $0.isPlaying }, game.derive { !$0.isPlaying })
        var mixtures = 0
        let isMixed = derive(yes, no) { $0 == $1 }
        let tokens = [
            isMixed.observe { _, new in if new { mixtures += 1 } },
            yes.observe { _, _ in if isMixed.value { mixtures += 1 } },
            no.observe { _, _ in if isMixed.value { mixtures += 1 } },
        ]
        try game.send(.pause)
        try game.send(.resume)
        try game.send(.returnHome)
        #expect(mixtures == 0)
        withExtendedLifetime((token, tokens)) {}
        #expect(clock.pending.isEmpty)
    }

    @Test func `the sequence of states begins with the present state and ends with the machine`()
        async throws
    {
        var game: StateMachine<Game.State, Game.Event>? = StateMachine(Game(), on: clock)
        try play(try #require(game))
        let states = try #require(game).states
        let reader = Task {
            var all: [Bool] = []
            for await state in states { all.append(state.isPlaying) }
            return all
        }
        await Task.yield()
        try game?.send(.pause)
        await Task.yield()
        try game?.send(.resume)
        try game?.send(.returnHome)
        game = nil
        #expect(await reader.value == [true, false, true, false])
        #expect(clock.pending.isEmpty)
    }

    @Test func `a sequence keeps the newest 1024 states`() async throws {
        var counter: StateMachine<Int, Int>? = StateMachine(
            initial: 0, on: clock, reduce: { state, event in state + event })
        let states = try #require(counter).states
        for _ in 0..<3000 { try counter?.send(1) }
        counter = nil
        var all: [Int] = []
        for await state in states { all.append(state) }
        #expect(all == Array(1977...3000))
    }

    @Test func `a reader that is cancelled ends`() async throws {
        let game = StateMachine(Game(), on: clock)
        let states = game.states
        let reader = Task {
            var count = 0
            for await _ in states { count += 1 }
            return count
        }
        await Task.yield()
        reader.cancel()
        #expect(await reader.value <= 1)
        withExtendedLifetime(game) {}
    }

    @Test func `withObservationTracking reports only the next change of the state`() throws {
        let game = StateMachine(Game(), on: clock)
        let changes = Counter()
        withObservationTracking {
            _ = game.state
        } onChange: {
            changes.count += 1
        }
        #expect(throws: (any Error).self) { try game.send(.pause) }
        #expect(changes.count == 0)
        try game.send(.displayHelp)
        #expect(changes.count == 1)
        try game.send(.dismissHelp)
        #expect(changes.count == 1)
        #expect(clock.pending.isEmpty)
    }

    private nonisolated final class Counter: @unchecked Sendable { var count = 0 }
}
