package import JSONCoding
import Parts
package import RPC

/// The method `prune`: removes the old rows now, even if the daemon has suspended the removal because the clock may be wrong.
package struct PruneMethod: PartMethod {
    package let method = Method.prune
    /// Nil without a journal.
    private let maintenance: JournalMaintenance?

    package init(_ maintenance: JournalMaintenance?) { self.maintenance = maintenance }

    package func call(
        _ params: borrowing Params, _ caller: any Caller, _ dispatcher: Dispatcher,
        _ writer: inout JSONWriter
    ) throws(CallError) -> CallOutcome {
        guard let maintenance else { throw .noJournal }
        return .deferred(DeferredResult(members: maintenance.prune))
    }
}
