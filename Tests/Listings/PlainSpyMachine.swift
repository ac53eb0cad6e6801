import GameFlow
import GameFlowTesting
import Testing

enum Screen { case login, createProfile }
enum Action { case next }
struct Button {
    func tap(_ machine: some MachineProtocol<Screen, Action>) { _ = try? machine.send(.next) }
}

@Test func `a tap sends next`() {
    let button = Button()
    // block 1
}
