import Glibc

/// The proxies whose headers `X-Forwarded-For` and `X-Forwarded-Proto` are believed: the option `--http-proxy`.
package struct TrustedProxies: Equatable {
    /// The numeric addresses, each in one form.
    private var addresses: Set<String> = []
    /// Whether the clients of the UNIX sockets of `--http` are proxies.
    private(set) var includesUnix = false

    /// The maximum number of addresses.
    package static let limit = 64

    package init() {}

    /// Adds what the option names: a numeric address, or `unix`. Returns false if the text is neither, or if there are too many.
    package mutating func add(_ text: String) -> Bool {
        if text == "unix" {
            includesUnix = true
            return true
        }
        guard addresses.count < Self.limit, let address = NumericAddress(text) else { return false }
        addresses.insert(address.text)
        return true
    }

    /// Whether a peer is such a proxy. `peer` is the address and the port of the other end; nil at a UNIX socket.
    package func contains(_ peer: String?) -> Bool {
        guard let peer else { return includesUnix }
        if addresses.isEmpty { return false }
        return NumericAddress(peer).map { addresses.contains($0.text) } ?? false
    }

    /// The address of the client that the entries of `X-Forwarded-For` name, in their order: the last that is no such proxy. If
    /// all are, the first. Nil if there is no entry, or if one of those that are looked at is no address.
    package func client(of entries: [Substring]) -> String? {
        var client: String?
        for entry in entries.reversed() {
            guard let address = NumericAddress(entry) else { return nil }
            client = address.text
            if !addresses.contains(address.text) { break }
        }
        return client
    }
}

/// A numeric address without a port, in one form: `192.0.2.7` or `[2001:db8::1]`. An IPv4 address in IPv6 form is an IPv4 address.
struct NumericAddress: Equatable {
    package let text: String

    /// Reads an address with or without a port, such as `192.0.2.7:80` or `[::1]:80` or `::1`. Wraps inet_pton(3), inet_ntop(3).
    package init?(_ given: some StringProtocol) {
        let given = String(given.drop { $0 == " " || $0 == "\t" })
        var host = given
        while host.last == " " || host.last == "\t" { host.removeLast() }
        if host.first == "[", let end = host.firstIndex(of: "]") {
            host = String(host[host.index(after: host.startIndex)..<end])
        } else if host.contains("."), let colon = host.lastIndex(of: ":"),
            host.firstIndex(of: ":") == colon
        {
            host = String(host[..<colon])
        }
        var (v4, v6) = (in_addr(), in6_addr())
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        func written() -> String {
            String(
                decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        if inet_pton(AF_INET, host, &v4) == 1 {
            inet_ntop(AF_INET, &v4, &buffer, socklen_t(buffer.count))
            text = written()
        } else if inet_pton(AF_INET6, host, &v6) == 1 {
            inet_ntop(AF_INET6, &v6, &buffer, socklen_t(buffer.count))
            let address = written()
            let mapped = "::ffff:"
            text =
                address.hasPrefix(mapped) && address.contains(".")
                ? String(address.dropFirst(mapped.count)) : "[\(address)]"
        } else {
            return nil
        }
    }
}
