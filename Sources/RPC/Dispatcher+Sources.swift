internal import GameFlow
internal import JSONCoding
internal import Sessions

/// The method `sources`, which shows the devices and the connections to them.
extension Dispatcher {
    /// The counts of events reveal changes of sessions, so the result waits for the newest row.
    func sources(_ params: borrowing Params, _ writer: inout JSONWriter) throws(CallError) -> Int {
        let name = params.text(.name)
        guard let inputs, let descriptions = inputs.sources(named: name) else {
            writer.object([Member("sources", .array([]))])
            return 0
        }
        writer.object([Member("sources", .array(descriptions))])
        return sessions.newestRow
    }
}
