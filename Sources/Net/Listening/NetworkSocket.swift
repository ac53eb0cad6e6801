package import EventLoop
import Glibc
import Support

/// A listening TCP socket. The socket is closed when the value is destroyed.
package struct NetworkSocket: ~Copyable {
    package let descriptor: Int32
    /// The address at which the socket listens, with the actual port: `127.0.0.1:8080`.
    package let address: String

    /// The reason why the socket cannot be opened, as a message for an operator.
    package struct SocketError: DescribedError {
        package let why: String
        /// Whether a later attempt may succeed: the machine does not have the address yet, or the
        /// name cannot be resolved yet.
        package private(set) var isTemporary = false

        init(why: String, isTemporary: Bool = false) {
            (self.why, self.isTemporary) = (why, isTemporary)
        }

        init(_ error: HostLookup.LookupError) {
            self.init(why: error.why, isTemporary: error.isTemporary)
        }
    }

    /// A listening socket that the service manager has passed. This value then owns it.
    package init(_ socket: PassedSocket) {
        (descriptor, address) = (socket.descriptor, socket.address.text)
    }

    /// Binds and listens at the first address of the host that can be bound. `host` is a numeric address or a name; resolving a
    /// name can block for seconds.
    package init(host: String, port: UInt16) throws(SocketError) {
        let addresses: [SocketAddress]
        do throws(HostLookup.LookupError) {
            addresses = try HostLookup.addresses(of: host, port)
        } catch { throw SocketError(error) }
        self = try Self(addresses, of: host, port)
    }

    /// Binds and listens at the first of the addresses that can be bound. `host` and `port` are used in messages.
    package init(_ addresses: [SocketAddress], of host: String, _ port: UInt16)
        throws(SocketError)
    {
        var failures: [Int32] = []
        for address in addresses {
            let descriptor = Self.listen(at: address)
            if descriptor >= 0 {
                self.descriptor = descriptor
                self.address = Self.local(of: descriptor) ?? "\(host):\(port)"
                return
            }
            failures.append(errno)
        }
        // EADDRNOTAVAIL is temporary: this machine does not have the address yet. If one address failed permanently, a later
        // attempt is not made, and that failure is reported.
        let permanent = failures.last { $0 != EADDRNOTAVAIL }
        let why =
            (permanent ?? failures.last).map { NetworkFailure.text($0, dropIn: "web") }
            ?? "no address"
        let name = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        throw SocketError(why: "\(name): \(why)", isTemporary: permanent == nil)
    }

    /// Returns the descriptor of a listening socket; negative, with `errno`, if this fails.
    private static func listen(at address: SocketAddress) -> Int32 {
        let descriptor = address.makeStreamSocket()
        guard descriptor >= 0 else { return -1 }
        var yes: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        // With SO_REUSEADDR, a restarted daemon can bind the address while connections of the previous process are still being
        // closed.
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, size)
        if address.family == AF_INET6 {
            // With IPV6_V6ONLY, another socket can listen at the same port of the IPv4 addresses.
            setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &yes, size)
        }
        guard address.withPointer({ bind(descriptor, $0, $1) }) == 0,
            Glibc.listen(descriptor, SOMAXCONN) == 0
        else {
            let listenError = errno
            close(descriptor)
            errno = listenError
            return -1
        }
        return descriptor
    }

    deinit { close(descriptor) }

    /// Turns off the delay with which TCP sends small amounts of data. Wraps setsockopt(2) with TCP_NODELAY.
    package static func disableSendDelay(_ descriptor: Int32) {
        var yes: Int32 = 1
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes,
            socklen_t(MemoryLayout<Int32>.size))
    }

    // MARK: addresses

    /// The local address of a socket, as text. Wraps getsockname(2).
    package static func local(of descriptor: Int32) -> String? { address(descriptor, getsockname) }

    /// The remote address of a connected socket, as text. Wraps getpeername(2).
    package static func peer(of descriptor: Int32) -> String? { address(descriptor, getpeername) }

    /// The text of a C string: the bytes before the first zero byte.
    private static func text(_ bytes: [CChar]) -> String {
        String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The address of a socket, as text; nil if it is not a network address. `getAddress` is getsockname(2) or getpeername(2).
    private static func address(
        _ descriptor: Int32,
        _ getAddress: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>)
            -> Int32
    ) -> String? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
        let hasText = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                getAddress(descriptor, address, &size) == 0
                    && getnameinfo(
                        address, size, &host, socklen_t(host.count), &port, socklen_t(port.count),
                        NI_NUMERICHOST | NI_NUMERICSERV) == 0
            }
        }
        guard hasText, storage.ss_family != sa_family_t(AF_UNIX) else { return nil }
        let (hostText, portText) = (text(host), text(port))
        return storage.ss_family == sa_family_t(AF_INET6)
            ? "[\(hostText)]:\(portText)" : "\(hostText):\(portText)"
    }
}
