import Glibc
import Shell

/// A datagram socket that receives the messages of sd_notify(3), as a service manager does.
final class NotifySocket {
    private let descriptor: Int32
    private let path: String

    init(_ path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard let address = SocketPath.address(path),
            SocketPath.with(address, { bind(descriptor, $0, $1) }) == 0
        else { throw ChildProcess.Failure(why: path) }
        var patience = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    /// The next message; empty if none is received in time.
    func message() -> String {
        var room = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &room, room.count, 0)
        return String(decoding: room.prefix(max(0, count)), as: UTF8.self)
    }
}
