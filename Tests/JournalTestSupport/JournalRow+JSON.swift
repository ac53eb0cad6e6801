internal import Durability
internal import JSONCoding
package import Journal

extension JournalRow {
    /// What it says as JSON, which is a body of version 1, too; nothing where it cannot be read.
    package var json: String {
        guard let members = try? record().members else { return "" }
        return String(decoding: JSONWriter.bytes { $0.object(members) }, as: UTF8.self)
    }
}
