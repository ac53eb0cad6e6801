/// What is wanted of a device: to be told when one of its characteristics has something to tell.
public struct Subscription: Hashable, Sendable {
    public let service: BluetoothUUID
    public let characteristic: BluetoothUUID

    public init(service: BluetoothUUID, characteristic: BluetoothUUID) {
        (self.service, self.characteristic) = (service, characteristic)
    }

    /// As people write it: `FFE0/FFE1`.
    public var text: String { "\(service.text)/\(characteristic.text)" }

    /// How full its battery is, which is wanted of every device.
    static let battery = Subscription(service: .batteryService, characteristic: .batteryLevel)
}
