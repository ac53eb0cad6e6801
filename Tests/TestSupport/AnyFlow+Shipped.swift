public import GameFlow
internal import ShippedFlows

extension AnyFlow {
    /// The shipped flows as `AnyFlow`, in the order in which clients see them.
    public static func shipped() -> [AnyFlow] { [any Flow].shipped.map { $0.anyFlow } }
}
