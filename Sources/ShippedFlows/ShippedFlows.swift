public import GameFlow

extension AnyFlow {
    /// Every flow that gamed ships, a line each, in the order in which clients are shown them.
    public static func shipped() -> [AnyFlow] {
        [
            AnyFlow(Game()),
            AnyFlow(Startup()),
            AnyFlow(Registration()),
            AnyFlow(Onboarding()),
            AnyFlow(Permissions()),
            AnyFlow(Quiz()),
        ]
    }
}
