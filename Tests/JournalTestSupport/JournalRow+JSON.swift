internal import Durability
internal import JSONCoding
package import Journal

extension JournalRow {
    /// The record as JSON, which is also a body of version 1; empty if the row is unreadable.
    package var json: String {
        guard let members = try? record().members else { return "" }
        return String(decoding: JSONWriter.bytes { $0.object(members) }, as: UTF8.self)
    }
}
