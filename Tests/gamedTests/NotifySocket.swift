import EventLoop
import Glibc

/// A datagram socket that receives the messages of sd_notify(3), as a service manager does.
final class NotifySocket {
    private let descriptor: Int32
    private let path: String

    init(_ path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard let address = SocketAddress(path: path),
            address.withPointer({ bind(descriptor, $0, $1) }) == 0
        else { throw ChildProcess.Failure(why: path) }
        var timeout = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    /// Waits for the next message, and returns it; empty if none is received within two minutes.
    func nextMessage() -> String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }
}
