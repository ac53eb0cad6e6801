import CLinux
import Glibc

/// A listening socket of the network.
struct NetworkSocket: ~Copyable {
    private var descriptor: Int32
    /// Where it listens, with the port that it got: `127.0.0.1:8080`.
    let address: String

    /// Why there is none, in words for an operator.
    struct Unavailable: Error {
        let why: String
    }

    /// Binds and listens. Wraps getaddrinfo(3), of whose answers the first that can be bound is taken.
    init(host: String, port: UInt16) throws(Unavailable) {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &found)
        guard status == 0 else {
            throw Unavailable(why: "\(host): \(String(cString: gai_strerror(status)))")
        }
        defer { freeaddrinfo(found) }
        var why = "no address"
        var next = found
        while let entry = next?.pointee {
            next = entry.ai_next
            let descriptor = Self.listen(at: entry)
            if descriptor >= 0 {
                self.descriptor = descriptor
                address = Self.local(of: descriptor) ?? "\(host):\(port)"
                return
            }
            why = String(cString: strerror(errno))
        }
        throw Unavailable(why: "\(host):\(port): \(why)")
    }

    private static func listen(at entry: addrinfo) -> Int32 {
        let kind = entry.ai_socktype | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(entry.ai_family, kind, entry.ai_protocol)
        guard descriptor >= 0 else { return -1 }
        var yes: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, size)
        if entry.ai_family == AF_INET6 {
            setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &yes, size)
        }
        guard bind(descriptor, entry.ai_addr, entry.ai_addrlen) == 0,
            Glibc.listen(descriptor, SOMAXCONN) == 0
        else {
            let why = errno
            close(descriptor)
            errno = why
            return -1
        }
        return descriptor
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Hands the descriptor over.
    consuming func take() -> Int32 {
        let taken = descriptor
        descriptor = -1
        return taken
    }

    /// Has small answers go out at once. Wraps setsockopt(2) with TCP_NODELAY.
    static func sendAtOnce(_ descriptor: Int32) {
        var yes: Int32 = 1
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes,
            socklen_t(MemoryLayout<Int32>.size))
    }

    // MARK: addresses

    /// Where a connected or listening socket is on this side, as text. Wraps getsockname(2).
    static func local(of descriptor: Int32) -> String? { name(descriptor, getsockname) }

    /// Where the other side of a connected socket is. Wraps getpeername(2).
    static func peer(of descriptor: Int32) -> String? { name(descriptor, getpeername) }

    private static func text(_ text: [CChar]) -> String {
        String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func name(
        _ descriptor: Int32,
        _ ask: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> String? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
        let isNamed = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                ask(descriptor, address, &size) == 0
                    && getnameinfo(
                        address, size, &host, socklen_t(host.count), &port, socklen_t(port.count),
                        NI_NUMERICHOST | NI_NUMERICSERV) == 0
            }
        }
        guard isNamed, storage.ss_family != sa_family_t(AF_UNIX) else { return nil }
        let (name, number) = (text(host), text(port))
        return storage.ss_family == sa_family_t(AF_INET6)
            ? "[\(name)]:\(number)" : "\(name):\(number)"
    }
}
