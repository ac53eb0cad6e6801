/// The attributes of a simulated device, and the handles of its characteristics.
struct DeviceAttributes {
    /// The handles of a characteristic.
    struct Handles {
        let value: UInt16
        /// The client configuration; nil if the device notifies without a subscription.
        let configuration: UInt16?
        let mode: CharacteristicModel.NotificationMode
    }

    var server = ATTServer()
    private(set) var handles: [Subscription: Handles] = [:]

    /// Creates the service Generic Access, and then the model's services in the order in which they first appear.
    init(_ model: DeviceModel) {
        addAccess(model.name)
        var characteristics = model.characteristics
        if let battery = model.battery {
            characteristics.append(
                CharacteristicModel(.battery, .notifies, value: [UInt8(battery)]))
        }
        for service in characteristics.services {
            add(service, characteristics.filter { $0.name.service == service })
        }
    }

    /// Adds Generic Access with the device's name.
    private mutating func addAccess(_ name: String) {
        let service = server.add(
            .init(type: .primaryService, value: BluetoothUUID(0x1800).littleEndianBytes))
        declare(BluetoothUUID(0x2A00), properties: 0x02)
        server.add(.init(type: BluetoothUUID(0x2A00), value: Array(name.utf8)))
        server.endGroup(of: service)
    }

    /// Adds the declaration of a characteristic. The caller must add the value next.
    private mutating func declare(_ uuid: BluetoothUUID, properties: UInt8) {
        var value = [properties]
        value.append(UInt16(server.attributes.count + 2))
        server.add(.init(type: .characteristic, value: value + uuid.littleEndianBytes))
    }

    private mutating func add(
        _ service: BluetoothUUID, _ characteristics: [CharacteristicModel]
    ) {
        let declaration = server.add(.init(type: .primaryService, value: service.littleEndianBytes))
        for characteristic in characteristics {
            // Readable, with notifications or indications.
            declare(
                characteristic.name.characteristic,
                properties: characteristic.mode == .indicates ? 0x22 : 0x12)
            let value = server.add(
                .init(type: characteristic.name.characteristic, value: characteristic.value))
            var configuration: UInt16?
            if characteristic.mode != .unasked {
                configuration = server.add(
                    .init(type: .clientConfiguration, value: [0, 0], isWritable: true))
            }
            handles[characteristic.name] = Handles(
                value: value, configuration: configuration, mode: characteristic.mode)
        }
        server.endGroup(of: declaration)
    }

    /// Whether a client has subscribed to the characteristic, or needs no subscription.
    func isSubscribed(_ handles: Handles) -> Bool {
        guard let configuration = handles.configuration else { return true }
        return (server.value(of: configuration).first ?? 0) & 3 != 0
    }
}
