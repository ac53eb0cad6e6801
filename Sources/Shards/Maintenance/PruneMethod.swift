package import JSONCoding
package import RPC

/// The method `prune`: removes the old rows now, even if the daemon has suspended the removal because the clock may be wrong.
package struct PruneMethod: PartMethod {
    package let method = Method.prune
    private let upkeep: any JournalUpkeep

    package init(_ upkeep: any JournalUpkeep) { self.upkeep = upkeep }

    package func call(
        _ params: borrowing Params, _ caller: any Caller, _ dispatcher: Dispatcher,
        _ writer: inout JSONWriter
    ) throws(CallError) -> CallOutcome {
        .deferred(DeferredResult(members: upkeep.prune))
    }
}
