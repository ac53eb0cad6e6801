/// What clients see of a flow's states and changes: the names that are hidden from players, and what the players' screens show
/// if it depends on the data.
@usableFromInline package final class ClientView: Sendable {
    /// The names that only operators see; nil if nothing is hidden.
    public let hidden: HiddenNames?
    /// Computes what the screens show in a state; nil if it does not depend on the data. Several threads can call the function,
    /// because it only reads the flow, which does not change.
    nonisolated(unsafe) private let computeScreen: ((StateRecord) -> ShownScreen)?

    /// Returns nil if the flow hides nothing and computes no screens.
    init?(_ hidden: HiddenNames?, _ computeScreen: ((StateRecord) -> ShownScreen)?) {
        if hidden == nil, computeScreen == nil { return nil }
        (self.hidden, self.computeScreen) = (hidden, computeScreen)
    }

    /// Returns what the screens show in a state; nil if it does not depend on the data. `FlowPresentation` then has it.
    package func screen(_ state: StateRecord) -> ShownScreen? { computeScreen?(state) }

    /// Returns what the screens show after a step; nil if they show the same as before, or if what they show does not depend on
    /// the data.
    package func newScreen(after step: borrowing Step) -> ShownScreen? {
        guard let computeScreen, let to = step.to, step.from != nil || step.kind == .open else {
            return nil
        }
        let screen = computeScreen(to)
        return step.from.map(computeScreen) == screen ? nil : screen
    }
}
