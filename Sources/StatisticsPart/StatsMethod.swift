package import JSONCoding
package import RPC
import Sessions
import Statistics

/// The method `stats`, which computes statistics from the journal.
package struct StatsMethod: PartMethod {
    package let method = Method.stats
    private let statistics: JournalStatistics

    package init(_ statistics: JournalStatistics) { self.statistics = statistics }

    /// Begins to compute the statistics of the games that the parameters select.
    package func call(
        _ params: borrowing Params, _ caller: any Caller, _ dispatcher: Dispatcher,
        _ writer: inout JSONWriter
    ) throws(CallError) -> CallOutcome {
        let selection = GameStatistics.Selection(
            flow: params.text(.flow), since: try params.since(dispatcher.sessions),
            without: try params.labelToLeaveOut())
        return .deferred(
            DeferredResult(members: { done in statistics.statistics(of: selection, done) }))
    }
}
