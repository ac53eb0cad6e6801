import Durability
import Fuzzing
import JSONCoding
import Journal
import Sessions

/// Fuzzes the decoder of row bodies. The first byte selects the kind of row.
@main struct CodecFuzz {
    static func main() { fuzz { CodecFuzz.test($0, $1) } }

    static func test(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
        let input = Array(UnsafeBufferPointer(start: data, count: size))
        guard let first = input.first, let kind = JournalRow.Kind(rawValue: Int(first)) else {
            return -1  // libFuzzer does not add this input to its corpus.
        }
        let row = JournalRow(
            kind, position: 1, session: kind == .daemon || kind == .forgotten ? "" : "main",
            seq: 1, atNs: 1, body: Array(input.dropFirst()), after: .start)
        let record: SessionRecord
        do throws(UnreadableRowError) { record = try row.record() } catch {
            check(!error.why.isEmpty, "an unreadable row without a reason")
            return 0
        }
        let encoded = JournalRow(record, at: 1, after: .start)
        check((try? encoded.record()) == record, "an encoded record differs from the decoded one")
        var text = JSONText()
        let line = JSONWriter.bytes { $0.object(record.members) }
        check((try? text.read(line[...])) != nil, "the export is not JSON")
        return 0
    }
}
