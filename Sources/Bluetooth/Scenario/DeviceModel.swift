internal import Timers

/// The properties and behaviour of a simulated device, which a line of a radio scenario describes.
public struct DeviceModel: Equatable, Sendable {
    public var name: String
    public var address: DeviceAddress
    /// The signal strength, in dBm.
    public var rssi = -60
    /// The battery level in percent; nil if the device has no battery service.
    public var battery: Int?
    /// The time between two advertisements, to which a random delay is added.
    public var advertisingInterval = Duration.milliseconds(100)
    public var characteristics: [CharacteristicModel] = []
    public var buttons: [ButtonModel] = []
    /// The maximum number of presses that the device stores while no client is subscribed. The device sends the stored presses
    /// when a client subscribes.
    public var queueCapacity = 0
    /// The time without a press after which the device sleeps: it ends its link and waits for the next press. Nil if the device
    /// never sleeps.
    public var sleepsAfter: Duration?
    /// If set, each link of the device breaks after the same time.
    public var flaps: Flaps?
    /// Whether the device is out of reach at the start.
    public var isAway = false

    /// How long each link lasts, and how long the device is out of reach after each link.
    public struct Flaps: Equatable, Sendable {
        public let up: Duration
        public let away: Duration
        public init(up: Duration, away: Duration) { (self.up, self.away) = (up, away) }
    }

    public init(_ name: String, _ address: DeviceAddress) {
        (self.name, self.address) = (name, address)
    }

    // MARK: known devices

    public static let itagSubscription = Subscription(
        service: BluetoothUUID(0xFFE0), characteristic: BluetoothUUID(0xFFE1))
    public static let buzzerSubscription = Subscription(
        service: BluetoothUUID(0xFFF0), characteristic: BluetoothUUID(0xFFF1))

    /// A key finder with one button, a cheap common device. Some variants notify without a subscription; `notifiesUnasked`
    /// simulates them.
    public static func itag(
        _ name: String, _ address: DeviceAddress, notifiesUnasked: Bool = false
    ) -> DeviceModel {
        var model = DeviceModel(name, address)
        model.characteristics = [
            CharacteristicModel(itagSubscription, notifiesUnasked ? .unasked : .notifies)
        ]
        model.buttons = [ButtonModel(itagSubscription, [1])]
        model.battery = 90
        return model
    }

    /// A quiz buzzer with four buttons, one bit for each.
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
    /// How the device sends the characteristic's value. The raw values are the words of a scenario.
    public enum NotificationMode: String, Equatable, Sendable, CaseIterable {
        /// The device sends notifications to subscribed clients.
        case notifies
        /// The device sends indications to subscribed clients. A client confirms each indication.
        case indicates
        /// The device sends notifications to every client, also to those that have not subscribed.
        case unasked
    }

    /// The UUIDs of the service and of the characteristic.
    public let name: Subscription
    public let mode: NotificationMode
    /// The value before the first press.
    public let value: [UInt8]

    public init(_ name: Subscription, _ mode: NotificationMode, value: [UInt8] = [0]) {
        (self.name, self.mode, self.value) = (name, mode, value)
    }
}

extension [CharacteristicModel] {
    /// The services, in the order in which they first appear.
    var services: [BluetoothUUID] {
        reduce(into: []) { if !$0.contains($1.name.service) { $0.append($1.name.service) } }
    }
}

/// A button of a simulated device, and the value that it sends when it is pressed.
public struct ButtonModel: Equatable, Sendable {
    public let characteristic: Subscription
    public let value: [UInt8]

    public init(_ characteristic: Subscription, _ value: [UInt8]) {
        (self.characteristic, self.value) = (characteristic, value)
    }
}
