import GameFlow
import JSONCoding
import Parts
import RPC
import Sessions

/// The method `sources`, which shows the connections to devices, and the devices.
struct SourcesMethod: PartMethod {
    let method = Method.sources
    private let lists: [any SourceList]

    init(_ lists: [any SourceList]) { self.lists = lists }

    /// Writes the connections with their devices, in the order of the lists. If the parameter `name` is
    /// given, writes only those with this name. The counts of events reveal changes of sessions, so the result waits until the
    /// newest row of the journal is durable.
    func call(
        _ params: borrowing Params, _ caller: any Caller, _ dispatcher: Dispatcher,
        _ writer: inout JSONWriter
    ) throws(CallError) -> CallOutcome {
        let name = params.text(.name)
        let descriptions = lists.flatMap { $0.sources(named: name) }
        if name != nil, descriptions.isEmpty {
            throw .invalidParams("name: no source has that name")
        }
        writer.object([Member("sources", .array(descriptions))])
        return .succeeded(row: dispatcher.sessions.newestRow)
    }
}
