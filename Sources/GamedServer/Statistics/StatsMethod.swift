import JSONCoding
import RPC
import Sessions

/// The method `stats`, which computes statistics from the journal.
struct StatsMethod: PartMethod {
    let method = Method.stats
    /// Nil without a journal.
    private let statistics: JournalStatistics?

    init(_ statistics: JournalStatistics?) { self.statistics = statistics }

    /// Begins to compute the statistics of the games that the parameters select.
    func call(
        _ params: borrowing Params, _ caller: any Caller, _ dispatcher: Dispatcher,
        _ writer: inout JSONWriter
    ) throws(CallError) -> CallOutcome {
        let selection = StatisticsSelection(
            flow: params.text(.flow), since: try params.since(before: dispatcher.sessions.now),
            without: try params.labelToLeaveOut())
        guard let statistics else { throw .noJournal }
        return .deferred(
            DeferredResult(members: { done in statistics.statistics(of: selection, done) }))
    }
}
