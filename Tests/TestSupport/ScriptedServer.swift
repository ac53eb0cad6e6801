package import EventLoop
import Glibc

/// A TCP server at the loopback interface that sends each client the same bytes when it has connected, and reads nothing.
package final class ScriptedServer {
    private let listener: LoopbackListener
    private var clients: [Int32] = []
    private var watcher: DescriptorWatcher?

    /// Returns nil if no port is free.
    package init?(on loop: LibeventLoop, sending bytes: [UInt8]) throws {
        guard let listener = LoopbackListener() else { return nil }
        self.listener = listener
        watcher = try DescriptorWatcher(listener.descriptor, .readable, on: loop) {
            [unowned self] in
            let client = listener.acceptClient()
            clients.append(client)
            _ = write(client, bytes, bytes.count)
        }
    }

    package var port: UInt16 { listener.port }

    deinit { for client in clients { close(client) } }
}
