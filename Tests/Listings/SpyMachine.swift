import GameFlow
import GameFlowTesting
import ShippedFlows
import Testing

struct Button {
    func tap(_ machine: some MachineProtocol<Game.State, Game.Event>) {
        _ = try? machine.send(.startPlaying)
    }
}

@Test func `a tap starts the game`() {
    let button = Button()
    // block 1
}
