package import RPC

/// A part of the daemon besides its sessions and its connections, such as an input, the outputs, the tokens or the flow files.
///
/// To add a part, write:
/// - a class that conforms to this protocol; `RunningDaemon` creates its object
/// - an `OptionSection` with its settings
/// - for an input, the keys of its `map` lines and a case of `Source.Kind`
///
/// All calls are on the loop's thread.
package protocol Part: AnyObject {
    /// The methods of the protocol that the part carries out.
    var methods: [any PartMethod] { get }
    /// Applies options that were read again at SIGHUP. The counters of lines that have not changed are not reset.
    func reload(_ options: Options)
    /// Drops the inputs that have arrived and were not handled yet. Called after the process stood still: what was sent to it
    /// before must not happen now.
    func dropInput()
    /// Adds the metrics of the part.
    func writeMetrics(to page: inout MetricsPage)
    /// Ends the part: it sends no further event.
    func stop()
}

/// A part that lacks something.
extension Part {
    package var methods: [any PartMethod] { [] }
    package func reload(_ options: Options) {}
    package func dropInput() {}
    package func writeMetrics(to page: inout MetricsPage) {}
    package func stop() {}
}

/// A part that has work in each turn of the loop, such as writing files.
package protocol TurnPart: Part {
    /// Does the work that is due once in each turn. Called before the loop sleeps.
    func flush()
}
