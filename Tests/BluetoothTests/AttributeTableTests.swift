import Testing

@testable import Bluetooth

@Suite struct AttributeTableTests {
    private static let longService = BluetoothUUID("6E400001-B5A3-F393-E0A9-E50E24DCCA9E")!
    private static let longCharacteristic = BluetoothUUID("6E400003-B5A3-F393-E0A9-E50E24DCCA9E")!

    /// A response to Find Information, from handles and types.
    private func information(_ attributes: [(UInt16, BluetoothUUID)]) -> [ATTResponse.Attribute] {
        attributes.map { ATTResponse.Attribute(handle: $0.0, type: $0.1) }
    }

    private func table(_ attributes: [(UInt16, BluetoothUUID)]) -> AttributeTable {
        var table = AttributeTable()
        #expect(append(attributes, to: &table))
        return table
    }

    private func append(
        _ attributes: [(UInt16, BluetoothUUID)], to table: inout AttributeTable
    ) -> Bool {
        table.append(information(attributes))
    }

    /// A characteristic, given by the handles of its declaration, of its value and of its client configuration.
    private func characteristic(
        _ service: BluetoothUUID, _ type: BluetoothUUID, at declaration: UInt16,
        _ handle: UInt16, _ configuration: UInt16?
    ) -> AttributeTable.Characteristic {
        .init(
            name: Subscription(service: service, characteristic: type), declaration: declaration,
            handle: handle, configuration: configuration)
    }

    @Test func `services, characteristics and configurations are found, with UUIDs of both sizes`()
    {
        var table = table([
            (1, .primaryService), (2, .characteristic), (3, BluetoothUUID(0xFFE1)),
            (4, .clientConfiguration), (0x20, .secondaryService), (0x21, .characteristic),
            (0x23, Self.longCharacteristic), (0x24, BluetoothUUID(0x2901)),
            (0x27, .clientConfiguration),
        ])
        #expect(table.serviceHandles == [1, 0x20])
        #expect(table.characteristics == [])
        table.setService([0xE0, 0xFF], at: 1)
        table.setService(Self.longService.littleEndianBytes, at: 0x20)
        #expect(
            table.characteristics == [
                characteristic(BluetoothUUID(0xFFE0), BluetoothUUID(0xFFE1), at: 2, 3, 4),
                characteristic(Self.longService, Self.longCharacteristic, at: 0x21, 0x23, 0x27),
            ])
    }

    @Test
    func `a characteristic does not take the configuration of the next characteristic or service`()
    {
        let (a, b, c) = (BluetoothUUID(0xFFE1), BluetoothUUID(0xFFE2), BluetoothUUID(0xFFE3))
        var table = table([
            (1, .primaryService), (2, .characteristic), (3, a), (4, .characteristic), (5, b),
            (6, .primaryService), (7, .characteristic), (8, c), (9, .clientConfiguration),
            (10, .clientConfiguration), (11, .characteristic), (12, a), (13, .secondaryService),
            (14, .clientConfiguration), (15, .characteristic), (16, b), (17, .primaryService),
            (18, .clientConfiguration),
        ])
        table.setService([0xE0, 0xFF], at: 1)
        table.setService([0xF0, 0xFF], at: 6)
        table.setService([0xE0, 0xFF], at: 13)
        #expect(
            table.characteristics == [
                characteristic(BluetoothUUID(0xFFE0), a, at: 2, 3, nil),
                characteristic(BluetoothUUID(0xFFE0), b, at: 4, 5, nil),
                characteristic(BluetoothUUID(0xFFF0), c, at: 7, 8, 9),
                characteristic(BluetoothUUID(0xFFF0), a, at: 11, 12, nil),
                characteristic(BluetoothUUID(0xFFE0), b, at: 15, 16, nil),
            ])
    }

    @Test func `a characteristic of an unknown service is ignored`() {
        let type = BluetoothUUID(0xFFE1)
        var table = table([
            (1, .characteristic), (2, type), (3, .primaryService), (4, .characteristic), (5, type),
            (6, .primaryService), (7, .characteristic), (8, type), (9, .primaryService),
            (10, .characteristic),
        ])
        // The three bytes at handle 3 are not a UUID, so that service stays unknown. The last characteristic has no value.
        table.setService([1, 2, 3], at: 3)
        table.setService([0xE0, 0xFF], at: 6)
        table.setService([0xE0, 0xFF], at: 9)
        #expect(
            table.characteristics == [characteristic(BluetoothUUID(0xFFE0), type, at: 7, 8, nil)])
    }

    @Test func `handles must ascend, otherwise the whole response is rejected`() {
        let type = BluetoothUUID(0xFFE1)
        var table = AttributeTable()
        #expect(table.nextHandle == 1)
        #expect(!append([(0, type)], to: &table))
        #expect(!append([(2, type), (2, type)], to: &table))
        #expect(!append([(2, type), (3, type), (1, type)], to: &table))
        #expect(table.attributes == [])
        #expect(append([(2, type), (5, type)], to: &table))
        #expect(table.nextHandle == 6)
        for handle: UInt16 in 0...5 {
            #expect(!append([(handle, type)], to: &table), "\(handle)")
        }
        #expect(!append([(6, type), (5, type)], to: &table))
        #expect(table.attributes == information([(2, type), (5, type)]))
        #expect(table.nextHandle == 6)
    }

    @Test func `there is no handle after the last possible one`() {
        var table = table([(1, .primaryService), (.max, BluetoothUUID(0xFFE1))])
        #expect(table.nextHandle == nil)
        #expect(!append([(.max, .characteristic)], to: &table))
        #expect(table.attributes.count == 2)
    }
}
