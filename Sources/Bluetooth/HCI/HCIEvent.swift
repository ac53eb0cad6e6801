/// What a controller tells its host.
enum HCIEvent: Equatable {
    /// A command is done; how many more it takes now, and what came of it, the status first as a rule.
    case commandComplete(credits: UInt8, HCICommand.Opcode, [UInt8])
    /// A command was begun, or refused.
    case commandStatus(credits: UInt8, HCICommand.Opcode, HCIStatus)
    case connected(HCIStatus, Connection)
    case disconnected(HCIStatus, handle: UInt16, reason: HCIStatus)
    /// So many of a link's packets are sent: there is room for as many more.
    case packetsCompleted([Completed])
    case advertising([AdvertisingReport])
    /// The controller does not know what it is doing any more.
    case hardwareError(UInt8)
    /// One that nobody here has use for, or that nobody knows.
    case other(UInt8)

    /// A link that came about.
    struct Connection: Equatable {
        let handle: UInt16
        let isCentral: Bool
        let address: DeviceAddress
    }

    struct Completed: Equatable {
        let handle: UInt16
        let count: UInt16
    }

    /// Links have twelve bits.
    static let handles: ClosedRange<UInt16> = 0...0x0EFF

    /// From a packet's body; nil where that is cut off.
    init?(_ body: ArraySlice<UInt8>) {
        var reader = ByteReader(body)
        guard let code = reader.u8(), let length = reader.u8(),
            let parameters = reader.take(Int(length))
        else { return nil }
        reader = ByteReader(parameters)
        switch code {
        case 0x05: self.init(disconnected: &reader)
        case 0x0E: self.init(complete: &reader)
        case 0x0F: self.init(status: &reader)
        case 0x10:
            guard let code = reader.u8() else { return nil }
            self = .hardwareError(code)
        case 0x13: self.init(completed: &reader)
        case 0x3E: self.init(le: &reader)
        default: self = .other(code)
        }
    }

    private init?(complete reader: inout ByteReader) {
        guard let credits = reader.u8(), let opcode = reader.u16() else { return nil }
        self = .commandComplete(
            credits: credits, HCICommand.Opcode(rawValue: opcode), Array(reader.rest))
    }

    private init?(status reader: inout ByteReader) {
        guard let status = reader.u8(), let credits = reader.u8(), let opcode = reader.u16() else {
            return nil
        }
        self = .commandStatus(
            credits: credits, HCICommand.Opcode(rawValue: opcode), HCIStatus(rawValue: status))
    }

    private init?(disconnected reader: inout ByteReader) {
        guard let status = reader.u8(), let handle = reader.u16(), let reason = reader.u8() else {
            return nil
        }
        self = .disconnected(
            HCIStatus(rawValue: status), handle: handle & 0x0FFF,
            reason: HCIStatus(rawValue: reason))
    }

    private init?(completed reader: inout ByteReader) {
        guard let count = reader.u8() else { return nil }
        var completed: [Completed] = []
        for _ in 0..<count {
            guard let handle = reader.u16(), let packets = reader.u16() else { return nil }
            completed.append(Completed(handle: handle & 0x0FFF, count: packets))
        }
        self = .packetsCompleted(completed)
    }

    private init?(le reader: inout ByteReader) {
        guard let subevent = reader.u8() else { return nil }
        switch subevent {
        case 0x01, 0x0A:
            guard let status = reader.u8(), let handle = reader.u16(), let role = reader.u8(),
                let address = DeviceAddress(typed: &reader)
            else { return nil }
            let connection = Connection(
                handle: handle & 0x0FFF, isCentral: role == 0, address: address)
            self = .connected(HCIStatus(rawValue: status), connection)
        case 0x02, 0x0D:
            let read = subevent == 0x02 ? AdvertisingReport.legacy : AdvertisingReport.extended
            guard let reports = read(reader.rest) else { return nil }
            self = .advertising(reports)
        default: self = .other(subevent)
        }
    }
}
