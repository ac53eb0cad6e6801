import EventLoop
import Glibc

/// Addresses that a webhook does not reach unless its line allows it: other services of this machine, and none that a
/// network routes.
enum SpecialAddress {
    /// Whether an address is a loopback, link-local, multicast or unspecified one, also as IPv4 in IPv6 form.
    static func includes(_ address: SocketAddress) -> Bool {
        switch address.family {
        case AF_INET: isSpecial(Array(address.bytes.dropFirst(4).prefix(4)))
        case AF_INET6: isSpecial6(Array(address.bytes.dropFirst(8).prefix(16)))
        default: true
        }
    }

    private static func isSpecial(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == 4 else { return true }
        let isLinkLocal = bytes[0] == 169 && bytes[1] == 254
        return bytes[0] == 0 || bytes[0] == 127 || isLinkLocal || bytes[0] >= 224
    }

    private static func isSpecial6(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == 16 else { return true }
        let isEmbedded = bytes[..<10].allSatisfy { $0 == 0 }
        // ::ffff:a.b.c.d is an IPv4 address; ::1 and :: are among those with a zero instead.
        if isEmbedded, bytes[10] == 0xFF, bytes[11] == 0xFF {
            return isSpecial(Array(bytes[12...]))
        }
        if isEmbedded { return true }
        let isTranslated = bytes[..<12].elementsEqual([0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0])
        if isTranslated { return isSpecial(Array(bytes[12...])) }
        return bytes[0] == 0xFF || (bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80)
    }
}
