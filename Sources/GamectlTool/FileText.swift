import Glibc
import Shell

/// Reads files that are named on the command line.
enum FileText {
    /// The bytes of a file, or of standard input for `-`. Stops reading when it has more
    /// than `limit` bytes; the result then exceeds the limit by at most one chunk.
    static func read(_ path: String, limit: Int = .max) throws(CommandError) -> [UInt8] {
        let descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path) }
        defer { if descriptor > 0 { close(descriptor) } }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= limit {
            let count = chunk.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(path) }
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        return bytes
    }

    private static func unreadable(_ path: String) -> CommandError {
        .malformed(["\(TerminalSafe.escaped(path)): \(String(cString: strerror(errno)))"])
    }
}
