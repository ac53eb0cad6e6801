import Durability
import Fuzzing
import JSON
import Journal
import Sessions

/// Feeds made-up bodies to what reads rows. The first byte says what kind of row it is.
@main struct CodecFuzz {
    static func main() { fuzz { CodecFuzz.test($0, $1) } }

    static func test(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
        let input = Array(UnsafeBufferPointer(start: data, count: size))
        guard let first = input.first, let kind = JournalRow.Kind(rawValue: Int(first)) else {
            return -1
        }
        let row = JournalRow(
            kind, position: 1, session: kind == .daemon || kind == .forgotten ? "" : "main",
            seq: 1, atNs: 1, body: Array(input.dropFirst()), after: .start)
        let record: SessionRecord
        do throws(UnreadableRow) { record = try row.record() } catch {
            check(!error.why.isEmpty, "damage without a reason")
            return 0
        }
        let again = JournalRow(record, at: 1, after: .start)
        check((try? again.record()) == record, "what was read is written as something else")
        var text = JSONText()
        let line = JSONWriter.bytes { $0.object(record.members) }
        check((try? text.read(line[...])) != nil, "it is exported as what is no JSON")
        return 0
    }
}
