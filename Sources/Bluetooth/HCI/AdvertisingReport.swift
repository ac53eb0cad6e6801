/// An advertisement or a scan response that the controller received from a device.
public struct AdvertisingReport: Equatable, Sendable {
    public let address: DeviceAddress
    /// Whether the device accepts connections.
    public let isConnectable: Bool
    /// Whether the report is a scan response, with which a device adds to its advertisement.
    public let isScanResponse: Bool
    /// Whether the next report of the same device continues the data.
    public var isUnfinished = false
    /// The received signal strength in dBm; nil if the controller does not know it.
    public let rssi: Int?
    public var data: [UInt8]

    /// Parses the reports of an LE Advertising Report event. `body` is the bytes after the subevent code. Nil if a report is
    /// truncated, or longer than the standard allows.
    static func legacy(_ body: ArraySlice<UInt8>) -> [AdvertisingReport]? {
        read(body) { reader in
            // Type 0 is an advertisement to all hosts. Type 1 is an advertisement to one host. A device that sends type 0 or 1
            // accepts connections. Type 4 is a scan response.
            guard let type = reader.u8(), let address = DeviceAddress(from: &reader),
                let length = reader.u8(), let data = reader.bytes(Int(length)),
                length <= AdvertisingData.legacyLimit, let rssi = reader.i8()
            else { return nil }
            return AdvertisingReport(
                address: address, isConnectable: type <= 1, isScanResponse: type == 4,
                rssi: Self.strength(rssi), data: Array(data))
        }
    }

    /// Parses the reports of an LE Extended Advertising Report event. `body` is the bytes after the subevent code. Nil if a
    /// report is truncated.
    static func extended(_ body: ArraySlice<UInt8>) -> [AdvertisingReport]? {
        read(body) { reader in
            // Bit 0 of the type means connectable, bit 3 a scan response. If bit 5 is set and bit 6 is not, the data continue.
            // Before the signal strength, 4 bytes are skipped: the radio modes (PHYs), the advertising set and the power. After
            // the signal strength, 9 bytes are skipped: the advertising period and the target address.
            guard let type = reader.u16(), let address = DeviceAddress(from: &reader),
                reader.bytes(4) != nil, let rssi = reader.i8(), reader.bytes(9) != nil,
                let length = reader.u8(), let data = reader.bytes(Int(length))
            else { return nil }
            return AdvertisingReport(
                address: address, isConnectable: type & 1 != 0, isScanResponse: type & 8 != 0,
                isUnfinished: type >> 5 & 3 == 1, rssi: Self.strength(rssi), data: Array(data))
        }
    }

    /// The signal strength in dBm; nil for 127, which means that the controller does not know it.
    private static func strength(_ rssi: Int8) -> Int? { rssi == 127 ? nil : Int(rssi) }

    /// Parses the number of reports, and then each report with `readReport`.
    private static func read(
        _ body: ArraySlice<UInt8>, _ readReport: (inout ByteReader) -> AdvertisingReport?
    ) -> [AdvertisingReport]? {
        var reader = ByteReader(body)
        guard let count = reader.u8() else { return nil }
        var reports: [AdvertisingReport] = []
        for _ in 0..<count {
            guard let report = readReport(&reader) else { return nil }
            reports.append(report)
        }
        return reports
    }
}
