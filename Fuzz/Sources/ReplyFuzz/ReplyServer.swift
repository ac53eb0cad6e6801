import EventLoop
import Glibc

/// A server on the loopback interface. It sends `reply` to each connection without reading the request, and then ends its
/// output.
final class ReplyServer {
    let port: UInt16
    private let listener: Int32
    private var watcher: DescriptorWatcher?
    var reply: [UInt8] = []
    private var clients: [Int32] = []

    init(on loop: LibeventLoop) throws(EventLoopError) {
        let socketType = Int32(
            SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        listener = socket(AF_INET, socketType, 0)
        var listenAddress = sockaddr_in()
        listenAddress.sin_family = sa_family_t(AF_INET)
        listenAddress.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = withUnsafeMutablePointer(to: &listenAddress) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        guard isListening else { fatalError("no socket to listen at") }
        port = UInt16(bigEndian: listenAddress.sin_port)
        watcher = try DescriptorWatcher(listener, .readable, on: loop) {
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

    /// Closes the connections. Because the requests were not read, the kernel resets the connections, and no port stays in
    /// TIME_WAIT.
    func closeConnections() {
        for client in clients { close(client) }
        clients = []
    }
}
