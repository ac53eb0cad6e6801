/// An HCI event, which a controller sends to its host.
enum HCIEvent: Equatable {
    /// A command was carried out. Its result begins with the status. `credits` is the number of
    /// commands that the controller accepts now.
    case commandComplete(credits: UInt8, HCICommand.Opcode, [UInt8])
    /// A command was started, or refused. `credits` is as for `commandComplete`.
    case commandStatus(credits: UInt8, HCICommand.Opcode, HCIStatus)
    case connected(HCIStatus, Connection)
    case disconnected(HCIStatus, handle: UInt16, reason: HCIStatus)
    /// The controller has sent these numbers of packets, and their buffers are free again.
    case packetsCompleted([CompletedPackets])
    case advertising([AdvertisingReport])
    /// The controller has an internal fault, and must be reset.
    case hardwareError(UInt8)
    /// An event that the central does not use.
    case other(UInt8)

    /// A new connection.
    struct Connection: Equatable {
        let handle: UInt16
        let isCentral: Bool
        let address: DeviceAddress
    }

    /// The number of packets of a link that the controller has sent.
    struct CompletedPackets: Equatable {
        let handle: UInt16
        let count: UInt16
    }

    /// The valid connection handles. The field has 12 bits; values above 0x0EFF are reserved.
    static let validHandles: ClosedRange<UInt16> = 0...0x0EFF

    /// Parses a packet's body; nil if it is truncated.
    init?(_ body: ArraySlice<UInt8>) {
        var reader = ByteReader(body)
        guard let code = reader.u8(), let length = reader.u8(),
            let parameters = reader.bytes(Int(length))
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
            credits: credits, HCICommand.Opcode(rawValue: opcode), Array(reader.remaining))
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
        var completed: [CompletedPackets] = []
        for _ in 0..<count {
            guard let handle = reader.u16(), let packets = reader.u16() else { return nil }
            completed.append(CompletedPackets(handle: handle & 0x0FFF, count: packets))
        }
        self = .packetsCompleted(completed)
    }

    private init?(le reader: inout ByteReader) {
        guard let subevent = reader.u8() else { return nil }
        switch subevent {
        case 0x01, 0x0A:
            guard let status = reader.u8(), let handle = reader.u16(), let role = reader.u8(),
                let address = DeviceAddress(from: &reader)
            else { return nil }
            let connection = Connection(
                handle: handle & 0x0FFF, isCentral: role == 0, address: address)
            self = .connected(HCIStatus(rawValue: status), connection)
        case 0x02, 0x0D:
            let read = subevent == 0x02 ? AdvertisingReport.legacy : AdvertisingReport.extended
            guard let reports = read(reader.remaining) else { return nil }
            self = .advertising(reports)
        default: self = .other(subevent)
        }
    }
}
