/// An input of the daemon: receives data from devices or other programs, and sends events to
/// sessions, as `map` lines of the configuration say.
///
/// To add one, write a class with this protocol, the option that names it, its `map` keys, and a
/// case of `Source.Kind`; `RunningDaemon` creates it. All calls are on the loop's thread.
protocol EventSource: AnyObject {
    /// Replaces the maps and limits; unchanged ones keep their counts.
    func reload(_ options: Options)
    /// Writes its files. Called each time before the loop sleeps.
    func flush()
    /// Adds its metrics.
    func writeMetrics(to page: inout MetricsPage)
    /// Ends it: no event follows.
    func stop()
}
