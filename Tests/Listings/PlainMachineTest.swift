import GameFlow
import GameFlowTesting
import Testing

nonisolated enum Screen { case login, createProfile }
nonisolated enum Action { case next }
nonisolated func next(_ screen: Screen, _ action: Action) -> Screen? { .createProfile }

@Test func `next shows the form`() throws {
    // block 1
}
