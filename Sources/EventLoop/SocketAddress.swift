package import Glibc

/// An IPv4, IPv6 or UNIX address. A socket connects to such an address, binds to it, or sends to it.
package struct SocketAddress: Equatable, Sendable {
    /// `AF_INET`, `AF_INET6` or `AF_UNIX`.
    package let family: Int32
    /// The bytes of the C structure `sockaddr_in`, `sockaddr_in6` or `sockaddr_un`.
    package let bytes: [UInt8]

    package init(family: Int32, bytes: [UInt8]) { (self.family, self.bytes) = (family, bytes) }

    /// The address of a UNIX socket; nil if the path is empty, too long, or contains a zero byte.
    package init?(path: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let pathBytes = Array(path.utf8)
        // The offset is known for every stored field, so the default (the size of `sun_family`) is never used.
        let offset =
            MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? MemoryLayout<sa_family_t>.size
        var bytes = unsafe withUnsafeBytes(of: &address) { unsafe Array($0) }
        // `<`, because a zero byte ends the path.
        guard !pathBytes.isEmpty, !pathBytes.contains(0), pathBytes.count < bytes.count - offset
        else { return nil }
        bytes.replaceSubrange(offset..<offset + pathBytes.count, with: pathBytes)
        self.init(family: AF_UNIX, bytes: bytes)
    }

    /// Creates a stream socket for the address, with close-on-exec. Returns its descriptor; a negative number, with the reason in
    /// `errno`, if this fails. Wraps socket(2).
    package func makeStreamSocket(isBlocking: Bool = false) -> Int32 {
        let flags = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        return socket(family, isBlocking ? flags : flags | Int32(SOCK_NONBLOCK.rawValue), 0)
    }

    /// Calls `body` with a pointer to the address and its length in bytes, for a system call such as connect(2), bind(2) or
    /// sendto(2). The pointer is valid only during the call.
    package func withPointer<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        var storage = sockaddr_storage()
        let count = min(bytes.count, MemoryLayout<sockaddr_storage>.size)
        unsafe withUnsafeMutableBytes(of: &storage) {
            unsafe $0.copyBytes(from: bytes.prefix(count))
        }
        return unsafe withUnsafePointer(to: &storage) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(count))
            }
        }
    }

    /// The IP address as digits, without the port: `192.0.2.1`, `2001:db8::1`; nil for a UNIX socket. Wraps getnameinfo(3),
    /// which with `NI_NUMERICHOST` sends no DNS request.
    package var numericHost: String? {
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let size = socklen_t(host.count)
        let status = unsafe withPointer { address, length in
            unsafe getnameinfo(address, length, &host, size, nil, 0, NI_NUMERICHOST)
        }
        guard family != AF_UNIX, status == 0 else { return nil }
        let bytes = host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
