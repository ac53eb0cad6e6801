internal import Glibc
internal import Support

/// Resolves the name of a host to addresses. Wraps getaddrinfo(3).
package enum HostLookup {
    /// The kind of socket that the addresses are for.
    package enum SocketKind: Sendable { case stream, datagram }

    /// The reason why a host has no addresses.
    package struct LookupError: DescribedError, Sendable {
        /// A sentence for an operator; it names the host.
        package let why: String
        /// Whether a later attempt may succeed: the network or the name server may not be available yet.
        package let isTemporary: Bool
    }

    package typealias Answer = Result<[SocketAddress], LookupError>

    /// The addresses of a host. May block for seconds on a name server; `HostLookups` does not.
    package static func addresses(
        of host: String, _ port: UInt16, for kind: SocketKind = .stream
    ) throws(LookupError) -> [SocketAddress] { try lookUp(host, port, kind, 0).get() }

    /// The addresses of a host that is given as a numeric address; nil for a name. Does not block.
    package static func numericAddresses(
        of host: String, _ port: UInt16, for kind: SocketKind = .stream
    ) -> [SocketAddress]? { try? lookUp(host, port, kind, AI_NUMERICHOST).get() }

    /// The first address of a host that is given as a numeric address or as `localhost`; nil for another name. Does not
    /// block.
    package static func address(of host: String, _ port: UInt16) -> SocketAddress? {
        numericAddresses(of: host == "localhost" ? "127.0.0.1" : host, port)?.first
    }

    private static func lookUp(
        _ host: String, _ port: UInt16, _ kind: SocketKind, _ flags: Int32
    ) -> Answer {
        var hints = unsafe addrinfo()
        let type = kind == .stream ? SOCK_STREAM : SOCK_DGRAM
        unsafe hints.ai_socktype = Int32(type.rawValue)
        unsafe hints.ai_flags = AI_NUMERICSERV | flags
        var found: UnsafeMutablePointer<addrinfo>?
        let status = unsafe getaddrinfo(host, String(port), &hints, &found)
        guard status == 0 else {
            let why = unsafe "\(host): \(String(cString: gai_strerror(status)))"
            return .failure(LookupError(why: why, isTemporary: temporaryErrors.contains(status)))
        }
        defer { unsafe freeaddrinfo(found) }
        var addresses: [SocketAddress] = []
        var next = unsafe found
        while let entry = unsafe next?.pointee {
            unsafe next = unsafe entry.ai_next
            let bytes = unsafe UnsafeRawBufferPointer(
                start: entry.ai_addr, count: Int(entry.ai_addrlen))
            unsafe addresses.append(SocketAddress(family: entry.ai_family, bytes: Array(bytes)))
        }
        return .success(addresses)
    }

    /// The errors that can mean that the network or the name server is not available yet. -5 is EAI_NODATA, which is a GNU
    /// extension.
    private static let temporaryErrors: Set<Int32> = [EAI_AGAIN, EAI_NONAME, EAI_FAIL, -5]
}
