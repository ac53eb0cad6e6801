import GameFlow
import Inputs
import RPC

/// A line `mqtt`, `osc`, `serial` or `evdev` of the configuration: a named connection to devices of the room.
struct ConnectionLine: Equatable {
    /// The kinds of connections, named like their lines.
    enum Kind: String, CaseIterable {
        case mqtt, osc, serial, evdev

        /// The kind of source that the journal records with the changes that inputs of the connection cause.
        var sourceKind: Source.Kind {
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
        /// The address of this machine at which OSC messages are received, and from which other OSC messages are sent.
        case osc(host: String, port: UInt16)
        /// The device file of a serial port, its speed in bits per second, and what ends the lines that it sends.
        case serial(path: String, baud: Int, end: LineEnd = .any)
        /// An input device of the kernel, such as a keyboard. With `isGrabbed`, no other program gets the device's keys.
        case evdev(EvdevConnection.Device, isGrabbed: Bool)
    }

    /// An MQTT broker, the login, and what this daemon publishes there.
    struct Broker: Equatable {
        let host: String
        let port: UInt16
        let isSecure: Bool
        /// The path of the file with the certificate authorities to trust; nil for the authorities that the system trusts.
        let authorities: String?
        fileprivate(set) var login: MQTTLogin
        /// The beginning of the topics to which the states of sessions are published; nil if no states are published.
        let prefix: String?
        /// Whether discovery messages for Home Assistant are published.
        let hasDiscovery: Bool
        /// Whether the line sets the client id by `client=`.
        let hasFixedClient: Bool
    }

    let name: String
    private(set) var endpoint: Endpoint

    var broker: Broker? { if case .mqtt(let broker) = endpoint { broker } else { nil } }

    /// Returns the line with `-NODE` appended to its client id. Nodes that use the same line must have different ids: if two
    /// clients use the same id, the broker ends the connection of the client that connected first. A line without `client=` is
    /// returned unchanged: its id is random.
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
