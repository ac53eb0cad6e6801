import Glibc
import Net

/// The location of the Bluetooth controller, as the option `--bluetooth` names it: `sim:FILE`, `hci:unix:PATH` or
/// `hci:tcp:HOST:PORT`.
package enum ControllerLocation: Equatable {
    /// A controller that is simulated in this process, with the devices of the scenario file at this path.
    case simulated(String)
    /// A controller that listens on the UNIX socket with this path.
    case unix(String)
    /// A controller that listens on a TCP port.
    case tcp(host: String, port: UInt16)

    /// Parses a location; nil if it is invalid.
    package init?(_ text: String) {
        // `Address` parses what follows a prefix: `unix:PATH` after `hci:`, or `HOST:PORT` after `hci:tcp:`.
        if text.hasPrefix("sim:"), text.count > 4 {
            self = .simulated(String(text.dropFirst(4)))
        } else if text.hasPrefix("hci:"), let address = Address(String(text.dropFirst(4))),
            case .unix(let path) = address, !path.isEmpty
        {
            self = .unix(path)
        } else if text.hasPrefix("hci:tcp:"),
            case .network(let host, let port)? = Address(String(text.dropFirst(8))), port > 0,
            Self.needsNoNameServer(host)
        {
            self = .tcp(host: host, port: port)
        } else {
            return nil
        }
    }

    /// Whether a host can be resolved without a name server. Other hosts are not permitted, because waiting for a name server
    /// could block the loop. Wraps inet_pton(3).
    private static func needsNoNameServer(_ host: String) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 16)
        return host == "localhost" || inet_pton(AF_INET, host, &buffer) == 1
            || inet_pton(AF_INET6, host, &buffer) == 1
    }

    /// The location in the form that `init` parses.
    package var text: String {
        switch self {
        case .simulated(let file): "sim:\(file)"
        case .unix(let path): "hci:unix:\(path)"
        case .tcp(let host, let port):
            "hci:tcp:\(host.contains(":") ? "[\(host)]" : host):\(port)"
        }
    }
}
