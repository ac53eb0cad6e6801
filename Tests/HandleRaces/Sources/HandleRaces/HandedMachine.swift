import GameFlow
import Timers

/// A machine that actors give to each other, while the timers of its clock fire on the actor that has it. At each moment, one actor
/// uses it.
final class HandedMachine: @unchecked Sendable {
    // Made on no actor, so that its clock follows to its users.
    private let machine = StateMachine<Int, Int>(
        initial: 0, reduce: { state, step in state + step })
    /// Changed by each step, without a lock.
    private var steps = 0

    init() {
        machine.timers { _ in [.countdown(.microseconds(100), sends: 1)] }
    }

    func use() {
        machine.sendIfAccepted(1)
        steps += machine.state
    }
}

/// An actor that uses a machine, and then gives it away.
actor Hand {
    func use(_ handed: HandedMachine) { handed.use() }
}

/// Lets many actors use a machine in turn.
func handAround() async {
    let (handed, hands) = (HandedMachine(), (0..<4).map { _ in Hand() })
    for turn in 0..<4000 { await hands[turn % hands.count].use(handed) }
}
