import GameFlow
import Inputs
import RPC

/// A line `mqtt`, `osc`, `serial` or `evdev` of the configuration: a named connection to devices of the room.
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

    /// What the connection connects to, or where it listens.
    enum Endpoint: Equatable {
        case mqtt(Broker)
        case osc(host: String, port: UInt16)
        case serial(path: String, baud: Int)
        /// With `isGrabbed`, no other program gets the device's keys.
        case evdev(EvdevConnection.Device, isGrabbed: Bool)
    }

    /// An MQTT broker, the login, and what this daemon publishes there.
    struct Broker: Equatable {
        let host: String
        let port: UInt16
        let isSecure: Bool
        /// The file with the certificate authorities to trust; nil for the authorities that the system trusts.
        let authorities: String?
        fileprivate(set) var login: MQTTLogin
        /// The beginning of the topics to which the sessions' states are published; nil if they are not published.
        let prefix: String?
        /// Whether discovery messages for Home Assistant are published.
        let hasDiscovery: Bool
        /// Whether the line sets the client id by `client=`.
        let hasFixedClient: Bool

        /// The topic with `online` or `offline`, the state of this daemon.
        var statusTopic: String? { prefix.map { "\($0)/status" } }
    }

    let name: String
    private(set) var endpoint: Endpoint

    var broker: Broker? { if case .mqtt(let broker) = endpoint { broker } else { nil } }

    /// The line with a client id that only the node of this name has. Several nodes can use the same line, and a broker ends a
    /// connection when another client with the same id connects. A line without `client=` is returned unchanged, because its
    /// id is random.
    func withOwnClientID(for node: String) -> ConnectionLine {
        guard case .mqtt(var broker) = endpoint, broker.hasFixedClient else { return self }
        broker.login.client += "-\(node)"
        var line = self
        line.endpoint = .mqtt(broker)
        return line
    }

    var kind: Kind {
        switch endpoint {
        case .mqtt: .mqtt
        case .osc: .osc
        case .serial: .serial
        case .evdev: .evdev
        }
    }
}

extension Options {
    /// The connections as this node opens them. If the node has `advertise`, other nodes can exist, which also open the
    /// connections of lines without `node=`.
    var ownConnections: [ConnectionLine] {
        guard advertise != nil else { return connections }
        return connections.map {
            connectionNodes[$0.name] == nil ? $0.withOwnClientID(for: node) : $0
        }
    }
}
