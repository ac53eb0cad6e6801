package import EventLoop
import Glibc

/// A TCP socket that listens at a port of the loopback interface. It is closed when this object is released.
package final class LoopbackListener {
    package let descriptor: Int32
    package let port: UInt16
    /// The address at which the socket listens.
    package let address: SocketAddress

    /// Listens at this port; 0 selects a port that no program uses. Returns nil if the port is in use. Wraps bind(2), listen(2).
    package init?(port: UInt16 = 0) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        address.sin_port = port.bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 8) == 0
                    && getsockname(listener, $0, &size) == 0
            }
        }
        guard isListening else {
            close(listener)
            return nil
        }
        descriptor = listener
        self.port = UInt16(bigEndian: address.sin_port)
        self.address = SocketAddress(
            family: AF_INET, bytes: withUnsafeBytes(of: &address) { Array($0) })
    }

    deinit { close(descriptor) }

    /// Accepts the next client, and returns its descriptor, which the caller closes. Wraps accept(2).
    package func acceptClient() -> Int32 { accept(descriptor, nil, nil) }
}
