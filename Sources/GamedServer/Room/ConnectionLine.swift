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
        let login: MQTTLogin
        /// The beginning of the topics of the sessions' states; nil if they are not published.
        let prefix: String?
        let hasDiscovery: Bool

        var statusTopic: String? { prefix.map { "\($0)/status" } }
    }

    let name: String
    let place: Place

    var broker: Broker? { if case .mqtt(let broker) = place { broker } else { nil } }

    var kind: Kind {
        switch place {
        case .mqtt: .mqtt
        case .osc: .osc
        case .serial: .serial
        case .evdev: .evdev
        }
    }
}
