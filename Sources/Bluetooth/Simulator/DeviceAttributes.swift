/// The attributes of a simulated device, and the handles by which clients name the attributes.
struct DeviceAttributes {
    /// The handles of a characteristic's attributes, and how the device sends the characteristic.
    struct Handles {
        let value: UInt16
        /// The client configuration, which a client writes to subscribe; nil if the device notifies without a subscription.
        let configuration: UInt16?
        let mode: CharacteristicModel.NotificationMode
    }

    /// Holds the attributes, and answers requests.
    var server = ATTServer()
    private(set) var handles: [Subscription: Handles] = [:]

    /// Creates the service Generic Access, the model's services in the order in which they first appear, and the service of the
    /// battery.
    init(_ model: DeviceModel) {
        addGenericAccess(model.name)
        var characteristics = model.characteristics
        if let battery = model.battery {
            characteristics.append(
                CharacteristicModel(.battery, .notifies, value: [UInt8(battery)]))
        }
        for service in characteristics.services {
            addService(service, characteristics.filter { $0.name.service == service })
        }
    }

    /// Adds the service Generic Access, which contains the device's name.
    private mutating func addGenericAccess(_ name: String) {
        let genericAccess = BluetoothUUID(0x1800)
        let deviceName = BluetoothUUID(0x2A00)
        let service = server.add(
            .init(type: .primaryService, value: genericAccess.littleEndianBytes))
        // Readable.
        declare(deviceName, properties: 0x02)
        server.add(.init(type: deviceName, value: Array(name.utf8)))
        server.endGroup(of: service)
    }

    /// Adds the declaration of a characteristic. The caller must add the value next. Each bit of `properties` permits an
    /// operation.
    private mutating func declare(_ uuid: BluetoothUUID, properties: UInt8) {
        var value = [properties]
        // The handle of the characteristic's value. The declaration takes the next free handle, and the value takes the handle
        // after the declaration.
        value.append(UInt16(server.attributes.count + 2))
        server.add(.init(type: .characteristic, value: value + uuid.littleEndianBytes))
    }

    /// Adds a service with its characteristics, each with a declaration, a value and perhaps a client configuration.
    private mutating func addService(
        _ service: BluetoothUUID, _ characteristics: [CharacteristicModel]
    ) {
        let declaration = server.add(.init(type: .primaryService, value: service.littleEndianBytes))
        for characteristic in characteristics {
            // Readable (0x02), with notifications (0x10) or indications (0x20).
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
        // Bit 0 of the configuration requests notifications, bit 1 indications.
        return (server.value(of: configuration).first ?? 0) & 3 != 0
    }
}
