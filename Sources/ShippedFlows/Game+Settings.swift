public import GameFlow

extension Game {
    /// What an operator may set: the times of `Times`, each by its name, and the catalog.
    public var settings: [FlowSetting<Game>] {
        [
            FlowSetting("help", \.times.help), FlowSetting("choosing", \.times.choosing),
            FlowSetting("level", \.times.level), FlowSetting("tick", period: \.times.tick),
            FlowSetting("paused", \.times.paused), FlowSetting("score", \.times.score),
            FlowSetting("catalog", \.catalog),
        ]
    }
}
