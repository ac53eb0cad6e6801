import JSON
import Journal
import Sessions
import Timers
import Wire

/// A row as a line of JSON.
enum ExportLine {
    static func write(_ row: JournalRow) -> [UInt8] {
        JSONWriter.bytes { line in
            line.beginObject()
            line.name("position")
            line.int(Int(row.position))
            line.name("kind")
            line.string("\(row.kind)")
            line.name("session")
            if row.session.isEmpty { line.null() } else { line.string(row.session) }
            line.name("seq")
            line.int(Int(row.seq))
            time(row, &line)
            if let id = row.id {
                line.name("id")
                line.string(id.text)
            }
            line.name("checksum")
            line.int(Int(row.checksum))
            line.name("whole")
            line.bool(row.isWhole)
            body(row.body, &line)
            line.endObject()
        }
    }

    /// A damaged row may be of a time that has no date.
    private static func time(_ row: JournalRow, _ line: inout JSONWriter) {
        let at = Instant(nanoseconds: row.atNs)
        if (Instant.zero...Instant.last).contains(at) { return line.time(at) }
        line.name("atMs")
        line.int(Int(at.milliseconds))
    }

    /// The body as the JSON it is, on one line; what is none, as the text it could be.
    private static func body(_ body: [UInt8], _ line: inout JSONWriter) {
        var text = JSONText()
        guard (try? text.read(body[...])) != nil, !body.contains(0x0A), !body.contains(0x0D) else {
            line.name("raw")
            return line.string(String(decoding: body, as: UTF8.self))
        }
        line.name("body")
        line.json(body)
    }
}
