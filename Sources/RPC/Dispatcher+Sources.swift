internal import GameFlow
internal import JSONCoding
internal import Sessions

/// The method `sources`, which shows the devices and the connections to them.
extension Dispatcher {
    /// Writes the connections with their devices, or only the one that the parameter `name` names. Returns the number of the
    /// journal row that must be durable before the result is sent: the counts of events reveal changes of sessions, so the
    /// result waits for the newest row.
    func sources(_ params: borrowing Params, _ writer: inout JSONWriter) throws(CallError) -> Int {
        let name = params.text(.name)
        let descriptions = inputs?.sources(named: name)
        if name != nil, descriptions == nil {
            throw .invalidParams("name: no source has that name")
        }
        writer.object([Member("sources", .array(descriptions ?? []))])
        return sessions.newestRow
    }
}
