internal import Durability
internal import JSONCoding
package import Journal
internal import JournalVersion1

extension JournalRow {
    /// The record as JSON; empty if the row is unreadable.
    package var json: String {
        guard let members = try? record().members else { return "" }
        return String(decoding: JSONWriter.bytes { $0.object(members) }, as: UTF8.self)
    }

    /// The body with a change in the record's JSON. `edit` changes the JSON. If the changed JSON is no record, it is the body, and
    /// no reader can read it. The JSON lacks what journals of version 1 did not have, so the body lacks it too.
    package func body(_ edit: (String) -> String) -> [UInt8] {
        let body = Array(edit(json).utf8)
        let row = JournalRow(
            kind, position: position, session: session, seq: seq, atNs: atNs, id: id, body: body,
            after: previous)
        guard let record = try? Version1Body.record(of: row) else { return body }
        return JournalRow.body(of: record)
    }
}
