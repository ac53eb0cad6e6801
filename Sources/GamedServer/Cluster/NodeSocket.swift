import CLinux
import Glibc

/// The socket of a connection to another node.
enum NodeSocket {
    /// Begins to connect to a numeric address or `localhost`, without blocking. Wraps socket(2),
    /// connect(2).
    static func connect(host: String, port: UInt16) throws(NodeLinkError) -> Int32 {
        var hints = addrinfo()
        // No name is looked up, because that blocks.
        hints.ai_flags = host == "localhost" ? 0 : AI_NUMERICHOST
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &list) == 0, let first = list?.pointee else {
            throw NodeLinkError(why: "\(host) is no numeric address: --advertise needs one")
        }
        defer { freeaddrinfo(list) }
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(first.ai_family, kind, 0)
        guard descriptor >= 0 else { throw NodeLinkError(why: String(cString: strerror(errno))) }
        if Glibc.connect(descriptor, first.ai_addr, first.ai_addrlen) != 0, errno != EINPROGRESS {
            let why = String(cString: strerror(errno))
            close(descriptor)
            throw NodeLinkError(why: why)
        }
        NetworkSocket.sendAtOnce(descriptor)
        return descriptor
    }
}
