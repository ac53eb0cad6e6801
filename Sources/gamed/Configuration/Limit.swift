internal import Support
import Timers
import Wire

/// The limits that an operator may set: `limit NAME=VALUE`.
enum Limit: String, CaseIterable {
    /// Requests a second of one peer, and of all together; 0 is none.
    case requests, requestsInAll
    /// Requests a second at the UNIX socket, of one user; off unless it is set.
    case unixRequests
    /// Clients at once, and those of one peer.
    case clients, clientsPerPeer
    /// How long a client of the network may say nothing, and how long a request may take to come.
    case idle, header
    /// How old an event of a Bluetooth device may be, and how many a device may tell a second.
    case bluetoothAge, presses

    /// Sets it; says what is wrong if the value is none of its kind.
    func set(_ text: String, in limits: inout ServerLimits) -> String? {
        switch self {
        case .idle, .header, .bluetoothAge:
            guard let time = DurationText.read(text), time > .zero else {
                return "expected a duration such as 30s"
            }
            switch self {
            case .idle: limits.idle = time
            case .header: limits.header = time
            default: limits.bluetoothAge = time
            }
        case .clients, .clientsPerPeer:
            guard let count = Int(text), 1...1_000_000 ~= count else {
                return "expected 1 to 1000000"
            }
            if self == .clients { limits.clients = count } else { limits.clientsPerPeer = count }
        case .requests, .requestsInAll, .unixRequests, .presses:
            guard let count = Int(text), 0...10_000_000 ~= count else {
                return "expected 0 to 10000000 a second; 0 is no limit"
            }
            switch self {
            case .requests: limits.requests = count
            case .requestsInAll: limits.requestsInAll = count
            case .presses: limits.presses = count
            default: limits.unixRequests = count
            }
        }
        return nil
    }
}
