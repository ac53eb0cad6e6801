import Glibc

/// Recognises loopback addresses.
package enum Loopback {
    /// Whether the text is `::1` or a numeric IPv4 address that begins with 127. Wraps inet_pton(3).
    package static func contains(_ host: String) -> Bool {
        var address = in_addr()
        return host == "::1"
            || inet_pton(AF_INET, host, &address) == 1
                && UInt32(bigEndian: address.s_addr) >> 24 == 127
    }
}
