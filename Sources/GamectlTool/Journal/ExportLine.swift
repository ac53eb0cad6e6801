import Durability
import JSONCoding
import Journal
import RPC
import Sessions
internal import Support
import Timers

/// A row of the journal as a line of JSON, for `gamectl journal export`.
enum ExportLine {
    /// The line without its end.
    static func write(_ row: JournalRow) -> [UInt8] {
        JSONWriter.bytes { line in
            line.beginObject()
            line.name("position")
            line.int(row.position)
            line.name("kind")
            line.string("\(row.kind)")
            line.name("session")
            if row.session.isEmpty { line.null() } else { line.string(row.session) }
            line.name("seq")
            line.int(row.seq)
            time(row, &line)
            if let id = row.id {
                line.name("id")
                line.string(id.text)
            }
            line.name("checksum")
            line.int(Int(row.checksum))
            line.name("whole")
            line.bool(row.hasValidChecksum)
            body(row, &line)
            line.endObject()
        }
    }

    /// Writes the time of the row as milliseconds and as a date. A damaged row may have a time outside the range of dates; then
    /// only the milliseconds, `atMs`, are written.
    private static func time(_ row: JournalRow, _ line: inout JSONWriter) {
        let at = Instant(nanoseconds: row.atNs)
        if (Instant.zero...Instant.last).contains(at) { return line.time(at) }
        line.name("atMs")
        line.int(Int(at.milliseconds))
    }

    /// Writes the record as `body`. If the record cannot be read, calls `unreadable`.
    private static func body(_ row: JournalRow, _ line: inout JSONWriter) {
        do throws(UnreadableRowError) {
            let members = try row.record().members
            line.name("body")
            line.object(members)
        } catch { unreadable(row.body, error.why, &line) }
    }

    /// Writes a body that cannot be read as a record. If the body is JSON without line ends, as a row of version 1 that could not
    /// be converted may have, writes it as `body`. Otherwise writes the reason as `unreadable` and the bytes as `raw`: as text if
    /// they begin with `{`, else in hexadecimal digits.
    private static func unreadable(_ body: [UInt8], _ why: String, _ line: inout JSONWriter) {
        var text = JSONText()
        if (try? text.read(body[...])) != nil, !body.contains(0x0A), !body.contains(0x0D) {
            line.name("body")
            return line.json(body)
        }
        line.name("unreadable")
        line.string(why)
        line.name("raw")
        line.string(
            body.first == UInt8(ascii: "{")
                ? String(decoding: body, as: UTF8.self) : Hexadecimal.write(body, uppercase: false))
    }
}
