import CLinux
import Glibc

/// The addresses at which a listening socket can be reached, as text for the log.
package struct ReachableAddresses: Equatable {
    /// The maximum number of addresses that the text names.
    private static let namedLimit = 4
    /// Addresses with their port, such as `127.0.0.1:8080` or `[2001:db8::1]:8080`.
    package let addresses: [String]
    /// Whether the socket listens at `[::]`: at all IPv6 addresses of the machine. It then takes no IPv4 connections, because
    /// `NetworkSocket` sets IPV6_V6ONLY.
    private let isIPv6Only: Bool

    /// The addresses of a socket that listens at `address`. If `address` is the wildcard address `0.0.0.0` or `[::]`, these are
    /// all addresses of this machine in the family of `address`. Otherwise it is only `address` itself. `machine` has the
    /// machine's addresses, without ports.
    package init(listeningAt address: String, machine: [String] = Self.ofThisMachine()) {
        let hosts: [String]
        // Among the addresses without ports, only IPv6 addresses contain colons.
        switch address {
        case _ where address.hasPrefix("0.0.0.0:"): hosts = machine.filter { !$0.contains(":") }
        case _ where address.hasPrefix("[::]:"): hosts = machine.filter { $0.contains(":") }
        default: hosts = []
        }
        isIPv6Only = address.hasPrefix("[::]:")
        // With the colon.
        let port = address[(address.lastIndex(of: ":") ?? address.endIndex)...]
        let reachable = hosts.map { $0.contains(":") ? "[\($0)]\(port)" : "\($0)\(port)" }
        addresses = reachable.isEmpty ? [address] : reachable
    }

    /// The addresses as a sentence part, each between `before` and `after`, such as
    /// `http://192.168.1.10:8080/ and http://127.0.0.1:8080/`. Of the addresses beyond `namedLimit`, only
    /// the number is given.
    package func text(before: String = "", after: String = "") -> String {
        let listed = addresses.prefix(Self.namedLimit).map { before + $0 + after }
        let unlisted = addresses.count - listed.count
        let parts = unlisted > 0 ? listed + ["\(unlisted) more"] : Array(listed)
        let list =
            parts.count > 1
            ? parts.dropLast().joined(separator: ", ") + " and \(parts[parts.count - 1])"
            : parts.joined()
        return isIPv6Only ? "\(list) (IPv6 only)" : list
    }

    /// This machine's addresses without ports, loopback addresses last. Link-local IPv6 addresses are omitted, because they are
    /// usable only together with the name of an interface. The result is empty if the daemon may not ask the kernel for the
    /// addresses, as in a systemd unit that forbids AF_NETLINK. Wraps getifaddrs(3).
    package static func ofThisMachine() -> [String] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var (nonLoopback, loopback): ([String], [String]) = ([], [])
        var next = list
        while let entry = next?.pointee {
            next = entry.ifa_next
            guard entry.ifa_flags & UInt32(IFF_UP) != 0, let address = entry.ifa_addr,
                let host = numericHost(address)
            else { continue }
            if entry.ifa_flags & UInt32(IFF_LOOPBACK) != 0 {
                loopback.append(host)
            } else {
                nonLoopback.append(host)
            }
        }
        return nonLoopback + loopback
    }

    /// An IPv4 or IPv6 address as text; nil for another family, and for a link-local IPv6 address. Wraps getnameinfo(3).
    private static func numericHost(_ address: UnsafeMutablePointer<sockaddr>) -> String? {
        let size: Int
        switch Int32(address.pointee.sa_family) {
        case AF_INET: size = MemoryLayout<sockaddr_in>.size
        case AF_INET6: size = MemoryLayout<sockaddr_in6>.size
        default: return nil
        }
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard
            getnameinfo(
                address, socklen_t(size), &host, socklen_t(host.count), nil, 0, NI_NUMERICHOST) == 0
        else { return nil }
        let text = String(
            decoding: host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // Only a link-local address has a scope, as in fe80::1%eth0.
        return text.contains("%") ? nil : text
    }
}
