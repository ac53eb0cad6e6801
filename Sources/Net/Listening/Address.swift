/// An address to listen at: a network address such as `127.0.0.1:8080`, `[::1]:8080` or `localhost:0`, or the path of a UNIX
/// socket, as `unix:PATH`.
package enum Address: Equatable {
    /// `host` is a name or a numeric address, without brackets. With port 0 the system chooses a free port.
    case network(host: String, port: UInt16)
    /// The path of a UNIX socket.
    case unix(String)

    /// Parses an address; nil if it is invalid.
    package init?(_ text: String) {
        if text.hasPrefix("unix:") {
            self = .unix(String(text.dropFirst("unix:".count)))
            return
        }
        guard let colon = text.lastIndex(of: ":") else { return nil }
        var host = text[..<colon]
        guard let port = UInt16(text[text.index(after: colon)...]) else { return nil }
        if host.first == "[", host.last == "]" {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            // An IPv6 address without brackets: it is not certain which part is the port.
            return nil
        }
        guard !host.isEmpty else { return nil }
        self = .network(host: String(host), port: port)
    }

    /// The address in the form that `init` parses.
    package var text: String {
        switch self {
        case .network(let host, let port):
            host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }

    /// Whether only one socket can listen at the address. A second socket for this address is then a mistake. False for port 0,
    /// because each socket with port 0 gets a port of its own.
    package var isForOneSocket: Bool {
        if case .network(_, 0) = self { return false }
        return true
    }

    /// Whether this is a network address.
    package var isNetwork: Bool { if case .network = self { true } else { false } }

    /// Whether only this machine can reach the address.
    package var isLocal: Bool {
        switch self {
        case .unix: true
        case .network(let host, _): host == "localhost" || host == "::1" || Loopback.contains(host)
        }
    }
}
