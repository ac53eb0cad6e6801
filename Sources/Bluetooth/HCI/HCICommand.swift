import Timers

/// A command of HCI, the Host Controller Interface, which a host sends to its controller.
struct HCICommand: Equatable {
    /// An opcode: 10 bits for the command, 6 bits for its group.
    struct Opcode: Hashable, RawRepresentable {
        let rawValue: UInt16
        /// The opcode in an event that answers no command, and only reports how many commands the controller accepts.
        static let none = Opcode(rawValue: 0)
        static let disconnect = Opcode(rawValue: 0x0406)
        static let readRemoteVersion = Opcode(rawValue: 0x041D)
        static let setEventMask = Opcode(rawValue: 0x0C01)
        static let reset = Opcode(rawValue: 0x0C03)
        static let writeLocalName = Opcode(rawValue: 0x0C13)
        static let setEventMaskPage2 = Opcode(rawValue: 0x0C63)
        static let writeLEHostSupport = Opcode(rawValue: 0x0C6D)
        static let readLocalVersion = Opcode(rawValue: 0x1001)
        static let readLocalCommands = Opcode(rawValue: 0x1002)
        static let readLocalFeatures = Opcode(rawValue: 0x1003)
        static let readLocalExtendedFeatures = Opcode(rawValue: 0x1004)
        static let readBufferSize = Opcode(rawValue: 0x1005)
        static let readAddress = Opcode(rawValue: 0x1009)
        static let leSetEventMask = Opcode(rawValue: 0x2001)
        static let leReadBufferSize = Opcode(rawValue: 0x2002)
        static let leReadLocalFeatures = Opcode(rawValue: 0x2003)
        static let leSetRandomAddress = Opcode(rawValue: 0x2005)
        static let leSetScanParameters = Opcode(rawValue: 0x200B)
        static let leSetScanEnable = Opcode(rawValue: 0x200C)
        static let leCreateConnection = Opcode(rawValue: 0x200D)
        static let leCreateConnectionCancel = Opcode(rawValue: 0x200E)
        static let leConnectionUpdate = Opcode(rawValue: 0x2013)
        static let leReadRemoteFeatures = Opcode(rawValue: 0x2016)
        static let leRand = Opcode(rawValue: 0x2018)
        static let leReadSupportedStates = Opcode(rawValue: 0x201C)
        static let leReadSuggestedDataLength = Opcode(rawValue: 0x2023)
        static let leWriteSuggestedDataLength = Opcode(rawValue: 0x2024)
        static let leReadMaximumDataLength = Opcode(rawValue: 0x202F)
    }

    let opcode: Opcode
    let parameters: [UInt8]

    init(_ opcode: Opcode, _ parameters: [UInt8] = []) {
        (self.opcode, self.parameters) = (opcode, parameters)
    }

    /// Parses a packet without its type byte; nil if the packet is truncated.
    init?(_ body: ArraySlice<UInt8>) {
        var reader = ByteReader(body)
        guard let opcode = reader.u16(), let length = reader.u8(),
            let parameters = reader.bytes(Int(length))
        else { return nil }
        self.init(Opcode(rawValue: opcode), Array(parameters))
    }

    /// The command as an H4 packet.
    var packet: HCIPacket {
        var bytes: [UInt8] = [HCIPacket.Kind.command.rawValue]
        bytes.append(opcode.rawValue)
        bytes.append(UInt8(parameters.count))
        return HCIPacket(.command, bytes + parameters)
    }

    // MARK: commands that the central sends

    static let reset = HCICommand(.reset)
    /// Enables the events that are enabled by default, and the event that contains all LE events.
    static let setEventMask = HCICommand(
        .setEventMask, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x1F, 0, 0x20])
    /// Enables the LE events for connections, advertising reports, connection updates, remote features and long-term keys.
    static let leSetEventMask = HCICommand(.leSetEventMask, [0x1F, 0, 0, 0, 0, 0, 0, 0])
    static let leReadBufferSize = HCICommand(.leReadBufferSize)
    static let readBufferSize = HCICommand(.readBufferSize)
    /// Sets active scanning (1), because some devices send their name only in scan responses. The interval and the window are
    /// 10 ms each (0x10), so that the controller scans all the time. This host uses its public address, and no filter.
    static let leSetScanParameters = HCICommand(.leSetScanParameters, [1, 0x10, 0, 0x10, 0, 0, 0])
    /// Starts or stops scanning. The controller's filter for duplicates is off, because it would hide a device that has
    /// returned.
    static func leSetScanEnable(_ isOn: Bool) -> HCICommand {
        HCICommand(.leSetScanEnable, [isOn ? 1 : 0, 0])
    }

    /// The parameters of a connection, in HCI's units.
    struct LinkParameters: Equatable {
        /// The range from which the controller chooses the connection interval, in units of 1.25 ms.
        var interval: ClosedRange<UInt16> = 12...24
        /// How many connection events a peripheral may skip.
        var latency: UInt16 = 0
        /// The supervision timeout, in units of 10 ms: a link that is silent for this time is
        /// lost.
        var supervision: UInt16 = 100

        /// The supervision timeout as a duration.
        var supervisionTimeout: Duration { .milliseconds(Int64(supervision) * 10) }

        /// The parameters as bytes of a command.
        var bytes: [UInt8] {
            var bytes: [UInt8] = []
            bytes.append(interval.lowerBound)
            bytes.append(interval.upperBound)
            bytes.append(latency)
            bytes.append(supervision)
            // The minimum and the maximum length of a connection event: no preference.
            return bytes + [0, 0, 0, 0]
        }
    }

    /// Connects to a device as soon as the device advertises.
    static func leCreateConnection(_ address: DeviceAddress, _ linkParameters: LinkParameters)
        -> HCICommand
    {
        // An interval and a window of 10 ms, so that the controller scans all the time; no filter list.
        let scan: [UInt8] = [0x10, 0, 0x10, 0, 0]
        // The byte before the link parameters is the type of the controller's own address: public.
        return HCICommand(
            .leCreateConnection,
            scan + [address.kind.rawValue] + address.bytes + [0] + linkParameters.bytes)
    }

    static let leCreateConnectionCancel = HCICommand(.leCreateConnectionCancel)

    /// Changes the parameters of the link with this connection handle.
    static func leConnectionUpdate(_ handle: UInt16, _ linkParameters: LinkParameters)
        -> HCICommand
    {
        var bytes: [UInt8] = []
        bytes.append(handle)
        return HCICommand(.leConnectionUpdate, bytes + linkParameters.bytes)
    }

    /// Ends the link with this connection handle. The controller sends the reason to the device. For the device, the remote
    /// user is this host.
    static func disconnect(_ handle: UInt16, _ reason: HCIStatus = .remoteUserEnded)
        -> HCICommand
    {
        var bytes: [UInt8] = []
        bytes.append(handle)
        bytes.append(reason.rawValue)
        return HCICommand(.disconnect, bytes)
    }
}
