import EventLoop
import Glibc

/// A server on the loopback interface that answers every connection with the same bytes, and closes it.
final class ReplyServer {
    let port: UInt16
    private let listener: Int32
    private var watcher: DescriptorWatcher?
    var reply: [UInt8] = []
    private var clients: [Int32] = []

    init(on loop: LibeventLoop) throws(EventLoopError) {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        listener = socket(AF_INET, kind, 0)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = withUnsafeMutablePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        guard isListening else { fatalError("no socket to listen at") }
        port = UInt16(bigEndian: place.sin_port)
        watcher = try DescriptorWatcher(listener, .readable, on: loop, .normal) {
            [unowned self] in answer()
        }
    }

    private func answer() {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        // The reply fits into the buffers of the socket.
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        _ = reply.withUnsafeBytes { send(client, $0.baseAddress, $0.count, flags) }
        shutdown(client, Int32(SHUT_WR))
        clients.append(client)
    }

    /// Closes the connections. Because the requests were not read, the connections are reset, and no port stays in TIME_WAIT.
    func closeConnections() {
        for client in clients { close(client) }
        clients = []
    }
}
