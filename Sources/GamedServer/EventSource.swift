/// An input of the daemon. It receives data from devices or other programs, and sends events to sessions, as `map` lines of the
/// configuration say. The daemon reloads, flushes and stops some other parts together with the inputs. So these parts also
/// conform to this protocol: the outputs, the links between sessions, `MQTTPublisher` and `StuckMonitor`.
///
/// To add an input, write:
/// - a class that conforms to this protocol; `RunningDaemon` creates its object
/// - the option that names the input
/// - the keys of the `map` lines for the input
/// - a case of `Source.Kind`
///
/// All calls are on the loop's thread.
protocol EventSource: AnyObject {
    /// Applies options that were read again at SIGHUP. The counters of lines that have not changed are not reset.
    func reload(_ options: Options)
    /// Does the work that is due once in each turn of the event loop, such as writing files. Called before the loop sleeps.
    func flush()
    /// Drops the inputs that have arrived and were not handled yet. Called after the process stood still: what was sent to it
    /// before must not happen now.
    func dropInput()
    /// Adds the metrics of the source.
    func writeMetrics(to page: inout MetricsPage)
    /// Ends the source: it sends no further event.
    func stop()
}

/// Parts that receive nothing.
extension EventSource {
    func dropInput() {}
}
