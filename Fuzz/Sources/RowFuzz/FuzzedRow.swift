import Journal
import Sessions

/// Makes the rows of a journal from an input. Each line is a row: `KIND POSITION SEQ AT_NS SESSION BODY`, with `-` for no
/// session. Other lines, such as a header with these words, are skipped. Each row is linked to its session's previous row and
/// has a valid checksum.
enum FuzzedRow {
    static func all(_ input: [UInt8]) -> [JournalRow] {
        var newestPositions: [String: JournalPosition] = [:]
        var rows: [JournalRow] = []
        for line in input.split(separator: 0x0A).prefix(64) {
            let words = line.split(
                separator: 0x20, maxSplits: 5, omittingEmptySubsequences: false)
            guard words.count == 6 else { continue }
            guard let kindNumber = Int(String(decoding: words[0], as: UTF8.self)),
                let kind = JournalRow.Kind(rawValue: kindNumber)
            else { continue }
            let numbers = words[1..<4].map { Int(String(decoding: $0, as: UTF8.self)) ?? 0 }
            let name = String(decoding: words[4], as: UTF8.self)
            let session = name == "-" ? "" : name
            let row = JournalRow(
                kind, position: numbers[0], session: session, seq: numbers[1],
                atNs: Int64(numbers[2]), body: Array(words[5]),
                after: newestPositions[session] ?? .start)
            newestPositions[session] = row.journalPosition
            rows.append(row)
        }
        return rows
    }
}
