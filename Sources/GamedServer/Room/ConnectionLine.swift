import GameFlow
import Inputs
import RPC

/// A line of the configuration that connects devices of the room.
struct ConnectionLine: Equatable {
    /// The kinds of connections, named like their lines.
    enum Kind: String, CaseIterable {
        case mqtt, osc, serial, evdev

        /// The kind of source that is recorded with the changes.
        var source: Source.Kind {
            switch self {
            case .mqtt: .mqtt
            case .osc: .osc
            case .serial: .serial
            case .evdev: .evdev
            }
        }
    }

    enum Place: Equatable {
        case mqtt(Broker)
        case osc(host: String, port: UInt16)
        case serial(path: String, baud: Int)
        case evdev(EvdevConnection.Device, isGrabbed: Bool)
    }

    /// A broker, and what is published to it.
    struct Broker: Equatable {
        let host: String
        let port: UInt16
        let isSecure: Bool
        /// The file of the authorities that are trusted; nil for those of the system.
        let authorities: String?
        fileprivate(set) var login: MQTTLogin
        /// The beginning of the topics of the sessions' states; nil if they are not published.
        let prefix: String?
        let hasDiscovery: Bool
        /// Whether the line says `client=`.
        let hasFixedClient: Bool

        var statusTopic: String? { prefix.map { "\($0)/status" } }
    }

    let name: String
    private(set) var place: Place

    var broker: Broker? { if case .mqtt(let broker) = place { broker } else { nil } }

    /// The line as the node of this name uses it beside others with the same line. A broker ends a connection when another one
    /// has the same client id.
    func distinct(for node: String) -> ConnectionLine {
        guard case .mqtt(var broker) = place, broker.hasFixedClient else { return self }
        broker.login.client += "-\(node)"
        var line = self
        line.place = .mqtt(broker)
        return line
    }

    var kind: Kind {
        switch place {
        case .mqtt: .mqtt
        case .osc: .osc
        case .serial: .serial
        case .evdev: .evdev
        }
    }
}

extension Options {
    /// The connections as this node opens them. A node with `advertise` can have others beside it, which use the lines
    /// without `node=` too.
    var ownConnections: [ConnectionLine] {
        guard advertise != nil else { return connections }
        return connections.map {
            connectionNodes[$0.name] == nil ? $0.distinct(for: node) : $0
        }
    }
}
