/// The attributes of a simulated device, and which of them is what.
struct DeviceAttributes {
    /// A characteristic, by its handles.
    struct Place {
        let value: UInt16
        /// Nil of one that notifies without being asked.
        let configuration: UInt16?
        let telling: CharacteristicModel.Telling
    }

    var server = ATTServer()
    private(set) var places: [Subscription: Place] = [:]

    /// The services in the order in which they are first named, behind what every device has.
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

    /// Generic Access: its name.
    private mutating func addAccess(_ name: String) {
        let service = server.add(.init(type: .primaryService, value: BluetoothUUID(0x1800).packet))
        declare(BluetoothUUID(0x2A00), properties: 0x02)
        server.add(.init(type: BluetoothUUID(0x2A00), value: Array(name.utf8)))
        server.endGroup(of: service)
    }

    private mutating func declare(_ uuid: BluetoothUUID, properties: UInt8) {
        var value = [properties]
        value.append(UInt16(server.attributes.count + 2))
        server.add(.init(type: .characteristic, value: value + uuid.packet))
    }

    private mutating func add(
        _ service: BluetoothUUID, _ characteristics: [CharacteristicModel]
    ) {
        let declaration = server.add(.init(type: .primaryService, value: service.packet))
        for one in characteristics {
            // Readable, and notifying or indicating.
            declare(
                one.name.characteristic, properties: one.telling == .indicates ? 0x22 : 0x12)
            let value = server.add(
                .init(type: one.name.characteristic, value: one.value))
            var configuration: UInt16?
            if one.telling != .unasked {
                configuration = server.add(
                    .init(type: .clientConfiguration, value: [0, 0], isWritable: true))
            }
            places[one.name] = Place(
                value: value, configuration: configuration, telling: one.telling)
        }
        server.endGroup(of: declaration)
    }

    /// Whether a characteristic may tell of itself now.
    func isDelivering(_ place: Place) -> Bool {
        guard let configuration = place.configuration else { return true }
        return (server.value(of: configuration).first ?? 0) & 3 != 0
    }
}
