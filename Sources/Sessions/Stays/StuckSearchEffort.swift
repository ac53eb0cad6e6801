/// How much a search for stuck sessions may do at once, so that it does not hold the loop.
package struct StuckSearchEffort {
    /// How many percentiles may be computed. Each sorts up to 500 numbers.
    package var percentiles = 100
    /// How many sessions may be looked at. Each that is stuck is reported to its watchers, and perhaps to an output.
    package var sessions = 200

    package init() {}

    /// In virtual time a search must be complete: only a request can cause the next one.
    package static var unlimited: StuckSearchEffort {
        var effort = StuckSearchEffort()
        (effort.percentiles, effort.sessions) = (.max, .max)
        return effort
    }
}
