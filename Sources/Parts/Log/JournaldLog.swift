import CSystemd
import Glibc
import Support

/// Writes the log to journald, with a field for each value; see systemd.journal-fields(7).
package struct JournaldLog: LogDestination {
    /// The socket at which journald takes entries with fields.
    package static let socket = "/run/systemd/journal/socket"

    /// Whether journald takes entries with fields.
    package static var isPresent: Bool { access(socket, F_OK) == 0 }

    package init() {}

    /// Wraps sd_journal_sendv(3). Blocks while journald is busy. Without journald, the entry is lost.
    package func write(_ entry: LogEntry) {
        let fields = Self.fields(of: entry).map { Array($0.utf8) }
        // The vectors point into one buffer, which lives during the call.
        var bytes = fields.flatMap { $0 }
        bytes.withUnsafeMutableBytes { buffer in
            var start = 0
            let vectors = fields.map { field in
                defer { start += field.count }
                return iovec(iov_base: buffer.baseAddress! + start, iov_len: field.count)
            }
            _ = sd_journal_sendv(vectors, Int32(vectors.count))
        }
    }

    /// The fields of an entry, each as `NAME=VALUE`. libsystemd adds the name of the program.
    package static func fields(of entry: LogEntry) -> [String] {
        [
            // `journalctl` shows a message with control characters only as a number of bytes.
            "MESSAGE=\(TerminalText.escaped(entry.message))",
            "PRIORITY=\(entry.level.rawValue)",
            "KIND=\(entry.kind.name)",
            "CODE_FILE=\(entry.place.file)",
            "CODE_LINE=\(entry.place.line)",
            "CODE_FUNC=\(entry.place.function)",
        ] + entry.fields.map { "\($0.name.uppercased())=\(TerminalText.escaped($0.value))" }
    }
}
