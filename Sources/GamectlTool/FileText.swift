import Glibc
import Shell

/// Reads files that are named on the command line.
enum FileText {
    /// The bytes of a file, or of standard input if `path` is `-`. Reading ends as soon as the result is longer than `limit`,
    /// which tells the caller that the file is too long. The result is longer than `limit` by at most 64 KiB.
    static func read(_ path: String, limit: Int = .max) throws(CommandError) -> [UInt8] {
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path) }
        defer { if descriptor != STDIN_FILENO { close(descriptor) } }
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

    /// The error for a file that cannot be read. Call directly after the failed system call, because it reads errno.
    private static func unreadable(_ path: String) -> CommandError {
        .malformed(["\(TerminalSafe.escaped(path)): \(String(cString: strerror(errno)))"])
    }
}
