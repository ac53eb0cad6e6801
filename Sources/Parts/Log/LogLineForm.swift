import JSONCoding
import RPC
import Support

/// How an entry of the log is written as one line.
package enum LogLineForm: Sendable {
    /// `2026-11-20T09:02:32.123Z warning [clock] the clock was set …`
    case text
    /// A JSON object.
    case json
    /// The message after its priority, which journald takes off the line; see sd-daemon(3).
    case prioritized
    /// The message after the name of the program, for a process that ends before it serves.
    case plain

    /// The bytes of the entry's line, with the newline. Characters that a terminal would interpret are escaped.
    package func line(_ entry: LogEntry) -> [UInt8] {
        let text =
            switch self {
            case .text:
                "\(Timestamp.text(entry.time)) \(entry.level.name) [\(entry.kind.name)] \(entry.message)"
            // In a string of JSON, the escapes are valid.
            case .json: String(decoding: Self.object(entry), as: UTF8.self)
            case .prioritized: "<\(entry.level.rawValue)>\(entry.message)"
            case .plain: "gamed: \(entry.message)"
            }
        return Array("\(TerminalText.escaped(text))\n".utf8)
    }

    private static func object(_ entry: LogEntry) -> [UInt8] {
        JSONWriter.bytes { writer in
            func add(_ name: StaticString, _ value: String) {
                writer.name(name)
                writer.string(value)
            }
            writer.beginObject()
            add("time", Timestamp.text(entry.time))
            add("level", entry.level.name)
            add("kind", entry.kind.name)
            add("message", entry.message)
            for field in entry.fields {
                writer.key(field.name)
                writer.string(field.value)
            }
            add("file", "\(entry.place.file)")
            writer.name("line")
            writer.int(Int(entry.place.line))
            add("function", "\(entry.place.function)")
            writer.endObject()
        }
    }
}
