package import Glibc

/// An address in the form for connect(2), bind(2) and sendto(2).
package struct SocketAddress: Equatable, Sendable {
    /// `AF_INET`, `AF_INET6` or `AF_UNIX`.
    package let family: Int32
    package let bytes: [UInt8]

    package init(family: Int32, bytes: [UInt8]) { (self.family, self.bytes) = (family, bytes) }

    /// The address of a UNIX socket; nil if the path is empty, too long, or contains a zero byte.
    package init?(path: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let text = Array(path.utf8)
        let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
        var bytes = unsafe withUnsafeBytes(of: &address) { unsafe Array($0) }
        guard !text.isEmpty, !text.contains(0), text.count < bytes.count - offset else {
            return nil
        }
        bytes.replaceSubrange(offset..<offset + text.count, with: text)
        self.init(family: AF_UNIX, bytes: bytes)
    }

    /// Calls `body` with the address, which is valid only during the call.
    package func with<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
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

    /// The numeric text of the address, without its port; nil for a UNIX socket. Wraps getnameinfo(3), which looks
    /// nothing up with these flags.
    package var numericHost: String? {
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let size = socklen_t(host.count)
        let status = unsafe with { address, length in
            unsafe getnameinfo(address, length, &host, size, nil, 0, NI_NUMERICHOST)
        }
        guard family != AF_UNIX, status == 0 else { return nil }
        let bytes = host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
