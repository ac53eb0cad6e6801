internal import Timers

/// What a simulated device is, and how it behaves.
public struct DeviceModel: Equatable, Sendable {
    public var name: String
    public var address: DeviceAddress
    /// How strong it is heard, in dBm.
    public var rssi = -60
    /// How full its battery is, in percent; nil of one that does not tell.
    public var battery: Int?
    /// How often it advertises.
    public var interval = Duration.milliseconds(100)
    public var characteristics: [CharacteristicModel] = []
    public var buttons: [ButtonModel] = []
    /// How many presses it keeps while it is not listened to, and tells of on its return.
    public var queue = 0
    /// After how long without a press it ends its link and sleeps, until it is pressed.
    public var sleepsAfter: Duration?
    /// How long its links last, and how long it is away then; nil of one that stays.
    public var flaps: Flaps?
    /// Whether it is out of reach to begin with.
    public var isAway = false

    public struct Flaps: Equatable, Sendable {
        public let up: Duration
        public let away: Duration
        public init(up: Duration, away: Duration) { (self.up, self.away) = (up, away) }
    }

    public init(_ name: String, _ address: DeviceAddress) {
        (self.name, self.address) = (name, address)
    }

    // MARK: those that are known

    public static let itagSubscription = Subscription(
        service: BluetoothUUID(0xFFE0), characteristic: BluetoothUUID(0xFFE1))
    public static let buzzerSubscription = Subscription(
        service: BluetoothUUID(0xFFF0), characteristic: BluetoothUUID(0xFFF1))

    /// A key finder with one button, as they are sold for little. Some kinds notify without being asked.
    public static func itag(
        _ name: String, _ address: DeviceAddress, isUnasked: Bool = false
    ) -> DeviceModel {
        var model = DeviceModel(name, address)
        model.characteristics = [
            CharacteristicModel(itagSubscription, isUnasked ? .unasked : .notifies)
        ]
        model.buttons = [ButtonModel(itagSubscription, [1])]
        model.battery = 90
        return model
    }

    /// A quiz buzzer with four buttons, a bit for each.
    public static func buzzer(_ name: String, _ address: DeviceAddress) -> DeviceModel {
        var model = DeviceModel(name, address)
        model.characteristics = [CharacteristicModel(buzzerSubscription, .notifies)]
        model.buttons = [1, 2, 4, 8].map { ButtonModel(buzzerSubscription, [$0]) }
        model.battery = 90
        return model
    }
}

/// A characteristic of a simulated device.
public struct CharacteristicModel: Equatable, Sendable {
    /// How it tells of its value.
    public enum Telling: String, Equatable, Sendable, CaseIterable {
        case notifies, indicates
        /// It notifies whoever is there, and has no switch for it.
        case unasked
    }

    public let name: Subscription
    public let telling: Telling
    public let value: [UInt8]

    public init(_ name: Subscription, _ telling: Telling, value: [UInt8] = [0]) {
        (self.name, self.telling, self.value) = (name, telling, value)
    }
}

extension [CharacteristicModel] {
    /// Their services, in the order in which they are first named.
    var services: [BluetoothUUID] {
        reduce(into: []) { if !$0.contains($1.name.service) { $0.append($1.name.service) } }
    }
}

/// A button of a simulated device, and what is told when it is pressed.
public struct ButtonModel: Equatable, Sendable {
    public let characteristic: Subscription
    public let value: [UInt8]

    public init(_ characteristic: Subscription, _ value: [UInt8]) {
        (self.characteristic, self.value) = (characteristic, value)
    }
}
