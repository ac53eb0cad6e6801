import Glibc

/// The text for a network host, under which the limits per host count its connections.
///
/// A machine can use any number of IPv6 addresses within its /64 network. So all addresses of a /64 network count as one host.
/// There are two exceptions. Link-local addresses: all machines of a link have the same first 64 bits. Addresses in
/// 64:ff9b::/96: they stand for IPv4 hosts, which a translator (NAT64) connects.
package enum NetworkHost {
    /// The host of an address with a port. For IPv4, the host is the address alone: `192.0.2.1` for `192.0.2.1:443`. For IPv6,
    /// the host is usually the network: `[2001:db8::]/64` for `[2001:db8::1]:443`. For IPv6 addresses that are counted one by
    /// one, it is also the address alone.
    package static func of(_ address: String) -> String {
        // The address of a client behind a proxy has no port.
        let hasPort = !address.hasSuffix("]")
        guard let colon = address.lastIndex(of: ":") else { return address }
        let host = hasPort ? String(address[..<colon]) : address
        return network(of: host) ?? host
    }

    /// The network of a bracketed IPv6 address. Nil for any other text, and for IPv6 addresses that are counted one by one.
    /// These are `::1`, IPv4 addresses in IPv6 form, and the two exceptions in the comment of this type. Wraps inet_pton(3),
    /// inet_ntop(3).
    private static func network(of host: String) -> String? {
        guard host.hasPrefix("["), host.hasSuffix("]") else { return nil }
        var address = in6_addr()
        guard inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &address) == 1 else {
            return nil
        }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let isNetwork = withUnsafeMutableBytes(of: &address) { bytes in
            // fe80::/10
            let isLinkLocal = bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
            // `::1`, and IPv4 addresses in IPv6 form.
            let isSpecial = bytes[..<8].allSatisfy { $0 == 0 }
            // 64:ff9b::/96
            let isTranslated =
                bytes[..<4].elementsEqual([0, 0x64, 0xFF, 0x9B])
                && bytes[4..<12].allSatisfy { $0 == 0 }
            // Only the network remains in the address.
            for index in 8..<16 { bytes[index] = 0 }
            return !isLinkLocal && !isSpecial && !isTranslated
        }
        guard isNetwork,
            inet_ntop(AF_INET6, &address, &text, socklen_t(text.count)) != nil
        else { return nil }
        let prefix = String(
            decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return "[\(prefix)]/64"
    }
}
