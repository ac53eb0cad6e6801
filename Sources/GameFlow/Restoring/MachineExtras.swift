/// What only the machines of some flows have beyond a state, timers and deferred events. It is one reference, so that other
/// machines pay for one pointer.
final class MachineExtras: Equatable, Sendable {
    /// The chance; nil for a flow that draws nothing.
    let chance: Chance?
    /// The moments to which the machine can go back, the newest first.
    let moments: [Moment]

    /// Nil without a chance and moments.
    init?(_ chance: Chance?, _ moments: [Moment]) {
        if chance == nil, moments.isEmpty { return nil }
        (self.chance, self.moments) = (chance, moments)
    }

    static func == (a: MachineExtras, b: MachineExtras) -> Bool {
        a === b || (a.chance == b.chance && a.moments == b.moments)
    }
}

extension AnyMachine {
    /// The machine's extras as they are now.
    final var extras: MachineExtras? {
        keepsMoments || flow.drawsChance ? MachineExtras(chance, moments) : nil
    }
}
