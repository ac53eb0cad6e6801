/// An event of HCI, the Host Controller Interface, which a controller sends to its host.
enum HCIEvent: Equatable {
    /// A command was carried out. The bytes are the command's result, which begins with the status. `credits` is the number of
    /// commands that the controller accepts now.
    case commandComplete(credits: UInt8, HCICommand.Opcode, [UInt8])
    /// A command was started or refused. `credits` is the number of commands that the controller accepts now.
    case commandStatus(credits: UInt8, HCICommand.Opcode, HCIStatus)
    /// A connection was made, if the status is success; else a connection attempt failed, and only the status is meaningful.
    case connected(HCIStatus, Connection)
    /// A link has ended, if the status is success; else a command to end the link failed.
    case disconnected(HCIStatus, handle: UInt16, reason: HCIStatus)
    /// The controller has sent these packets to devices, and the buffers of the packets are free again.
    case packetsCompleted([CompletedPackets])
    case advertising([AdvertisingReport])
    /// The controller has an internal fault, and must be reset.
    case hardwareError(UInt8)
    /// An event that the central does not use. The value is its event code, or its subevent code if it is an LE event.
    case other(UInt8)

    /// A new connection.
    struct Connection: Equatable {
        /// The connection handle, by which the controller names the link from now on.
        let handle: UInt16
        /// Whether this host is the central of the link, not the peripheral.
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

    /// Parses a packet without its type byte; nil if the packet is truncated.
    init?(_ body: ArraySlice<UInt8>) {
        var reader = ByteReader(body)
        guard let code = reader.u8(), let length = reader.u8(),
            let parameters = reader.bytes(Int(length))
        else { return nil }
        reader = ByteReader(parameters)
        switch code {
        case 0x05: self.init(disconnected: &reader)
        case 0x0E: self.init(commandComplete: &reader)
        case 0x0F: self.init(commandStatus: &reader)
        case 0x10:
            guard let code = reader.u8() else { return nil }
            self = .hardwareError(code)
        case 0x13: self.init(packetsCompleted: &reader)
        case 0x3E: self.init(leEvent: &reader)
        default: self = .other(code)
        }
    }

    private init?(commandComplete reader: inout ByteReader) {
        guard let credits = reader.u8(), let opcode = reader.u16() else { return nil }
        self = .commandComplete(
            credits: credits, HCICommand.Opcode(rawValue: opcode), Array(reader.remaining))
    }

    private init?(commandStatus reader: inout ByteReader) {
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

    private init?(packetsCompleted reader: inout ByteReader) {
        guard let count = reader.u8() else { return nil }
        var completed: [CompletedPackets] = []
        for _ in 0..<count {
            guard let handle = reader.u16(), let packets = reader.u16() else { return nil }
            completed.append(CompletedPackets(handle: handle & 0x0FFF, count: packets))
        }
        self = .packetsCompleted(completed)
    }

    private init?(leEvent reader: inout ByteReader) {
        guard let subevent = reader.u8() else { return nil }
        switch subevent {
        // Connection Complete, and its enhanced form, which begins with the same fields.
        case 0x01, 0x0A:
            guard let status = reader.u8(), let handle = reader.u16(), let role = reader.u8(),
                let address = DeviceAddress(from: &reader)
            else { return nil }
            let connection = Connection(
                handle: handle & 0x0FFF, isCentral: role == 0, address: address)
            self = .connected(HCIStatus(rawValue: status), connection)
        // Advertising Report, and Extended Advertising Report.
        case 0x02, 0x0D:
            let parse = subevent == 0x02 ? AdvertisingReport.legacy : AdvertisingReport.extended
            guard let reports = parse(reader.remaining) else { return nil }
            self = .advertising(reports)
        default: self = .other(subevent)
        }
    }
}
