import FlowAnalysis
import Glibc

/// A file's bytes, up to what a scenario may have and one more.
enum FileText {
    /// Reads a file, or standard input where it is called `-`.
    static func read(_ path: String) throws(Failure) -> [UInt8] {
        let descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path) }
        defer { if descriptor > 0 { close(descriptor) } }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= ScenarioReader.limit {
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

    private static func unreadable(_ path: String) -> Failure {
        .malformed(["\(TerminalSafe.word(path)): \(String(cString: strerror(errno)))"])
    }
}
