import JSONCoding
import RPC

/// The method `config`: shows the values that are in effect, where they come from, and what waits for a restart.
struct ConfigMethod: PartMethod {
    let method = Method.config
    private unowned let listeners: Listeners

    init(_ listeners: Listeners) { self.listeners = listeners }

    func call(
        _ params: borrowing Params, _ caller: any Caller, _ dispatcher: Dispatcher,
        _ writer: inout JSONWriter
    ) throws(CallError) -> CallOutcome {
        writer.object(listeners.effectiveSettings.members)
        return .succeeded
    }
}
