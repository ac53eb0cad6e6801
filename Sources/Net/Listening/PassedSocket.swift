import CLinux
import EventLoop
import Glibc
import Support

/// A listening socket that the service manager has opened and passed to this process. The daemon accepts connections at it. It
/// never binds it, and never changes or removes its file, because the service manager keeps the socket.
package struct PassedSocket {
    /// The user of this value closes it.
    package let descriptor: Int32
    /// The address to which it is bound.
    package let address: Address

    /// Why a passed descriptor cannot be used.
    package struct SocketError: DescribedError {
        package let why: String
    }

    /// Looks at a descriptor, and makes it non-blocking. Throws if it is not a listening stream socket of IPv4, IPv6 or UNIX.
    package init(_ descriptor: Int32) throws(SocketError) {
        guard Self.option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue),
            Self.option(SO_ACCEPTCONN, of: descriptor) == 1
        else { throw SocketError(why: "is not a listening stream socket") }
        guard
            let address = Self.path(of: descriptor).map({ Address.unix($0) })
                ?? NetworkSocket.local(of: descriptor).flatMap({ Address($0) })
        else { throw SocketError(why: "is bound to no address of IPv4, IPv6 or UNIX") }
        (self.descriptor, self.address) = (descriptor, address)
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
    }

    /// Whether this socket is bound to an address that an option names. The name of a host is resolved, which can block for
    /// seconds.
    package func isBound(to other: Address) -> Bool {
        if address == other { return true }
        guard case .network(let host, let port) = other, port != 0,
            case .network(let ownHost, port) = address
        else { return false }
        let addresses = (try? HostLookup.addresses(of: host, port)) ?? []
        return addresses.contains { $0.numericHost == ownHost }
    }

    /// The value of an option of the socket; nil if the descriptor is no socket. Wraps getsockopt(2).
    private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
    }

    /// The path of a UNIX socket; nil for another socket. Wraps getsockname(2).
    private static func path(of descriptor: Int32) -> String? {
        var address = sockaddr_un()
        var size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &size)
            }
        }
        guard status == 0, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
        let bytes = withUnsafeBytes(of: &address.sun_path) { bytes in
            Array(bytes.prefix { $0 != 0 })
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }
}
