import EventLoop
import Glibc
import Shell
import Support
import Synchronization
import Testing

@testable import GamedServer

@Suite struct GraphvizTests {
    /// The descriptors of this process for files in /tmp that have no name, and whether programs inherit them.
    private func namelessFiles() -> [(descriptor: Int32, isInherited: Bool)] {
        guard let directory = opendir("/proc/self/fd") else { return [] }
        defer { closedir(directory) }
        return FilePath.names(in: directory).compactMap { name in
            var target = [CChar](repeating: 0, count: 256)
            guard let descriptor = Int32(name) else { return nil }
            let length = readlink("/proc/self/fd/\(name)", &target, target.count)
            let bytes = target.prefix(max(0, length)).map { UInt8(bitPattern: $0) }
            let text = String(decoding: bytes, as: UTF8.self)
            guard text.hasPrefix("/tmp/"), text.hasSuffix(" (deleted)") else { return nil }
            return (descriptor, fcntl(descriptor, F_GETFD) & FD_CLOEXEC == 0)
        }
    }

    @Test func `programs that are started during a drawing do not inherit its temporary file`()
        throws
    {
        let edges = (0..<60).map { "n\($0) -> n\(($0 * 7 + 1) % 60)" }
        let dot = "digraph {\(edges.joined(separator: ";"))}"
        let result = Result()
        try WorkerThread.start {
            let drawing = try? Graphviz.draw(dot, as: "svg")
            result.isDrawn.withLock { $0 = drawing?.isEmpty == false }
        }
        var hasFile = false
        while result.isDrawn.withLock({ $0 }) == nil {
            let files = namelessFiles()
            hasFile = hasFile || !files.isEmpty
            #expect(!files.contains { $0.isInherited })
        }
        let isDrawn = result.isDrawn.withLock { $0 }
        #expect(isDrawn == true)
        #expect(hasFile)
    }

    private final class Result: Sendable { let isDrawn = Mutex<Bool?>(nil) }
}
