package import EventLoop
import Glibc

/// Addresses to which HTTP requests are sent only if the `on` line has `allow-special=yes`. They are the loopback addresses of
/// this machine, and addresses that routers do not forward. Without this check, a host name could resolve to one of these
/// addresses. The daemon would then send requests to services of its own machine.
package enum SpecialAddress {
    /// Whether an address is a loopback, link-local, multicast, reserved or unspecified one. An IPv4 address that is written as
    /// an IPv6 address is recognised. An address of another family is special.
    package static func includes(_ address: SocketAddress) -> Bool {
        // `bytes` begins with the family and the port, together 4 bytes. For IPv6, the flow label follows, also 4 bytes. The
        // address comes next.
        switch address.family {
        case AF_INET: isSpecialIPv4(Array(address.bytes.dropFirst(4).prefix(4)))
        case AF_INET6: isSpecialIPv6(Array(address.bytes.dropFirst(8).prefix(16)))
        default: true
        }
    }

    /// The reason why a request to the special address `text` is not sent.
    package static func sentence(about text: String) -> String {
        "\(text) is a loopback, link-local or multicast address; allow-special=yes permits it"
    }

    /// Whether a host is certainly a special address, without a look-up: it is a special numeric address, or a name of this
    /// machine by RFC 6761.
    static func isCertain(host: String) -> Bool {
        let name = host.lowercased()
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        return HostLookup.numericAddresses(of: host, 0)?.contains(where: includes) == true
    }

    private static func isSpecialIPv4(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == 4 else { return true }
        let isLinkLocal = bytes[0] == 169 && bytes[1] == 254
        // 0 is unspecified, 127 loopback, 224 to 239 multicast, and 240 to 255 reserved.
        return bytes[0] == 0 || bytes[0] == 127 || isLinkLocal || bytes[0] >= 224
    }

    private static func isSpecialIPv6(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == 16 else { return true }
        let beginsWithZeros = bytes[..<10].allSatisfy { $0 == 0 }
        // `::ffff:a.b.c.d` is an IPv4 address. All other addresses that begin with ten zero bytes, such as `::1`, are special.
        if beginsWithZeros, bytes[10] == 0xFF, bytes[11] == 0xFF {
            return isSpecialIPv4(Array(bytes[12...]))
        }
        if beginsWithZeros { return true }
        // 64:ff9b::a.b.c.d, by which NAT64 reaches an IPv4 address.
        let isTranslated = bytes[..<12].elementsEqual([0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0])
        if isTranslated { return isSpecialIPv4(Array(bytes[12...])) }
        // ff00::/8 is multicast, fe80::/10 link-local.
        return bytes[0] == 0xFF || (bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80)
    }
}
