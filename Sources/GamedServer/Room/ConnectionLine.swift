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
        case mqtt(host: String, port: UInt16, MQTTLogin)
        case osc(host: String, port: UInt16)
        case serial(path: String, baud: Int)
        case evdev(EvdevConnection.Device, isGrabbed: Bool)
    }

    let name: String
    let place: Place

    var kind: Kind {
        switch place {
        case .mqtt: .mqtt
        case .osc: .osc
        case .serial: .serial
        case .evdev: .evdev
        }
    }
}
