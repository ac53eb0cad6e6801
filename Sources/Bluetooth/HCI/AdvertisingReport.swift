/// That a device was heard: an advertisement, or the answer to a scan.
public struct AdvertisingReport: Equatable, Sendable {
    public let address: DeviceAddress
    /// Whether it may be connected to.
    public let isConnectable: Bool
    /// Whether it answers a question for more than its advertisement holds.
    public let isScanResponse: Bool
    /// Whether it goes on in the next report of the same device.
    public var isUnfinished = false
    /// How strong it was, in dBm; nil where the controller does not know.
    public let rssi: Int?
    public var data: [UInt8]

    /// The reports of LE Advertising Report, as they stand behind the subevent's code; nil where one is cut off.
    static func legacy(_ body: ArraySlice<UInt8>) -> [AdvertisingReport]? {
        read(body) { reader in
            guard let type = reader.u8(), let address = DeviceAddress(typed: &reader),
                let length = reader.u8(), let data = reader.take(Int(length)), length <= 31,
                let rssi = reader.i8()
            else { return nil }
            return AdvertisingReport(
                address: address, isConnectable: type <= 1, isScanResponse: type == 4,
                rssi: Self.strength(rssi), data: Array(data))
        }
    }

    /// Those of LE Extended Advertising Report.
    static func extended(_ body: ArraySlice<UInt8>) -> [AdvertisingReport]? {
        read(body) { reader in
            // PHYs, set and power; behind the strength, the period and whom it is meant for.
            guard let type = reader.u16(), let address = DeviceAddress(typed: &reader),
                reader.take(4) != nil, let rssi = reader.i8(), reader.take(9) != nil,
                let length = reader.u8(), let data = reader.take(Int(length))
            else { return nil }
            return AdvertisingReport(
                address: address, isConnectable: type & 1 != 0, isScanResponse: type & 8 != 0,
                isUnfinished: type >> 5 & 3 == 1, rssi: Self.strength(rssi), data: Array(data))
        }
    }

    private static func strength(_ rssi: Int8) -> Int? { rssi == 127 ? nil : Int(rssi) }

    private static func read(
        _ body: ArraySlice<UInt8>, _ one: (inout ByteReader) -> AdvertisingReport?
    ) -> [AdvertisingReport]? {
        var reader = ByteReader(body)
        guard let count = reader.u8() else { return nil }
        var reports: [AdvertisingReport] = []
        for _ in 0..<count {
            guard let report = one(&reader) else { return nil }
            reports.append(report)
        }
        return reports
    }
}
