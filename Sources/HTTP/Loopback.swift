internal import Glibc

/// The addresses by which a machine reaches itself.
public enum Loopback {
    /// Whether a numeric address is one. Wraps inet_pton(3).
    public static func holds(_ host: String) -> Bool {
        var address = in_addr()
        return host == "::1"
            || inet_pton(AF_INET, host, &address) == 1
                && UInt32(bigEndian: address.s_addr) >> 24 == 127
    }
}
