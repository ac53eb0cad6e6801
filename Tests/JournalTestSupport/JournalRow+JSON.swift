internal import Durability
internal import JSONCoding
package import Journal

extension JournalRow {
    /// The record as JSON; empty if the row is unreadable. In version 1 of the journal's format, the body of a row was this JSON.
    package var json: String {
        guard let members = try? record().members else { return "" }
        return String(decoding: JSONWriter.bytes { $0.object(members) }, as: UTF8.self)
    }
}
