internal import GameFlow
internal import JSONCoding
internal import Sessions

/// The method `sources`, which shows the connections to devices, and the devices.
extension Dispatcher {
    /// Writes the connections with their devices. If the parameter `name` is given, writes only the connection with this name.
    /// Returns the number of the journal row that must be durable before the result is sent. This is the newest row, because
    /// the counts of events reveal changes of sessions.
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
