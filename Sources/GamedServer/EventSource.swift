/// An input of the daemon: receives data from devices or other programs, and sends events to sessions, as `map` lines of the
/// configuration say. The outputs, the links between sessions, `MQTTPublisher` and `StuckMonitor` also conform to this
/// protocol, because the daemon reloads, flushes and stops them together with the inputs.
///
/// To add an input, write a class that conforms to this protocol, the option that names it, its `map`
/// keys, and a case of `Source.Kind`; `RunningDaemon` creates it. All calls are on the loop's thread.
protocol EventSource: AnyObject {
    /// Applies options that were read again at SIGHUP. The counters of unchanged lines continue.
    func reload(_ options: Options)
    /// Does the work that is due once in each turn of the event loop, such as writing files. Called before the loop sleeps.
    func flush()
    /// Adds the metrics of the source.
    func writeMetrics(to page: inout MetricsPage)
    /// Ends the source: it sends no further event.
    func stop()
}
