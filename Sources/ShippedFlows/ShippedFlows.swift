public import GameFlow

extension [any Flow] {
    /// Every flow that gamed ships, in the order in which clients see them.
    ///
    /// A program can add flows of its own: `GamedServer.run(flows: .shipped + [HeistFlow()])`.
    public static var shipped: [any Flow] {
        [Game(), Startup(), Registration(), Onboarding(), Permissions(), Quiz()]
    }
}
