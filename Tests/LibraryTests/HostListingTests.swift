import GameFlow
import GameFlowHosting
import ShippedFlows
import Testing
import Timers

/// A store that keeps the snapshots in memory.
private actor Shelf: SnapshotStore {
    private var snapshots: [String: MachineSnapshot] = [:]

    func save(_ snapshot: MachineSnapshot?, of name: String) { snapshots[name] = snapshot }
    func load() -> [String: MachineSnapshot] { snapshots }
}

/// A clock that stands still, so that no timer fires however long a test takes.
private struct StillClock: Clock {
    let now = ContinuousClock.now
    var minimumResolution: Duration { .zero }

    /// Returns only when the task is cancelled.
    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        let (stream, _) = AsyncStream.makeStream(of: Never.self)
        for await _ in stream {}
        try Task.checkCancellation()
    }
}

private func stillHost(_ shelf: Shelf) -> SessionHost<Game> {
    SessionHost(Game(), store: shelf, clock: StillClock()) { .zero }
}

/// A server hosts machines of a flow whose states contain timers.
@Suite struct HostListingTests {
    @Test func `a host has machines of the game, and returns states with timers`() async throws {
        let host = stillHost(Shelf())
        try await host.open("table-1")
        try await host.send(.startPlaying, to: "table-1")
        try await host.send(.chooseEpisode(episode: 2), to: "table-1")
        let state = try await host.send(.chooseLevel(level: 3), to: "table-1")
        guard case .playingLevel(_, let countdown, let tick) = state else {
            Issue.record("\(state)")
            return
        }
        // The timers belong to the host. Here, their handles are those of ended timers.
        #expect(countdown.remaining == .zero && !countdown.pause())
        #expect(!tick.isLive)
        try await host.close("table-1")
    }

    @Test func `a restored host goes on with the game`() async throws {
        let shelf = Shelf()
        let before = stillHost(shelf)
        try await before.open("table-1")
        try await before.send(.startPlaying, to: "table-1")
        let after = stillHost(shelf)
        #expect(try await after.restore() == ["table-1"])
        try await after.send(.chooseEpisode(episode: 1), to: "table-1")
        guard case .choosingLevel? = await after.state(of: "table-1") else {
            Issue.record("\(String(describing: await after.state(of: "table-1")))")
            return
        }
    }

    @Test @MainActor func `states with timers are read on another actor`() async throws {
        let machine = StateMachine(Game(), on: VirtualClock())
        try machine.send(.startPlaying)
        let stream = machine.stream()
        let first = await Task.detached { () -> Game.State? in
            for await state in stream { return state }
            return nil
        }.value
        if case .choosingEpisode? = first { return }
        Issue.record("\(String(describing: first))")
    }

    @Test @MainActor
    func `a countdown is read where its machine is, and is ended elsewhere`() async throws {
        let clock = VirtualClock()
        let machine = StateMachine(Game(), on: clock)
        try machine.send(.startPlaying)
        try machine.send(.chooseEpisode(episode: 2))
        try machine.send(.chooseLevel(level: 3))
        guard case .playingLevel(_, let countdown, _) = machine.state else { return }
        clock.advance(by: .seconds(30))
        #expect(countdown.remaining == .seconds(60))
        #expect(await Task.detached { countdown.remaining }.value == .zero)
        #expect(await Task { @MainActor in countdown.remaining }.value == .seconds(60))
    }
}
