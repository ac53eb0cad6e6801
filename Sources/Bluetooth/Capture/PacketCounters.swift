/// Counts the packets of a capture: advertising reports, packets of the Attribute Protocol (ATT), and notifications. Tests
/// compare these counts with the counts of other programs.
public struct PacketCounters: Equatable, Sendable {
    /// The number of all packets.
    public private(set) var packets = 0
    /// The number of advertising reports; one packet may contain several.
    public private(set) var advertisements = 0
    /// The number of ATT packets, by opcode.
    public private(set) var attPackets: [UInt8: Int] = [:]
    /// The number of notifications, by attribute handle.
    public private(set) var notifications: [UInt16: Int] = [:]
    /// The number of packets that could not be parsed.
    public private(set) var malformedCount = 0
    /// The frames that are being assembled from fragments, by `assemblyKey`. The two directions of a link are fragmented
    /// separately.
    private var assemblies: [UInt32: L2CAPAssembly] = [:]

    public init() {}

    /// Compares the counts, but not the incomplete frames.
    public static func == (a: PacketCounters, b: PacketCounters) -> Bool {
        (a.packets, a.advertisements, a.malformedCount)
            == (b.packets, b.advertisements, b.malformedCount)
            && a.attPackets == b.attPackets && a.notifications == b.notifications
    }

    public mutating func count(_ packet: HCIPacket, _ direction: PacketDirection) {
        packets += 1
        switch packet.kind {
        case .event: countEvent(packet)
        case .acl: countData(packet, direction)
        case .command, .synchronous, .isochronous: break
        }
    }

    private mutating func countEvent(_ packet: HCIPacket) {
        switch HCIEvent(packet.body) {
        case .advertising(let reports)?: advertisements += reports.count
        // A failed disconnection leaves the link as it is.
        case .disconnected(.success, let handle, _)?:
            assemblies[Self.assemblyKey(.toHost, handle)] = nil
            assemblies[Self.assemblyKey(.toController, handle)] = nil
        case nil: malformedCount += 1
        default: break
        }
    }

    private mutating func countData(_ packet: HCIPacket, _ direction: PacketDirection) {
        guard let fragment = ACLFragment(packet.body) else {
            malformedCount += 1
            return
        }
        let key = Self.assemblyKey(direction, fragment.handle)
        guard let frame = assemblies[key, default: L2CAPAssembly()].add(fragment),
            frame.channel == L2CAPFrame.Channel.attributes, let opcode = frame.payload.first
        else { return }
        attPackets[opcode, default: 0] += 1
        guard opcode == ATTOpcode.notification.rawValue else { return }
        var reader = ByteReader(frame.payload[1...])
        if let handle = reader.u16() { notifications[handle, default: 0] += 1 }
    }

    /// Identifies one direction of the link with this connection handle.
    private static func assemblyKey(_ direction: PacketDirection, _ handle: UInt16) -> UInt32 {
        (direction == .toHost ? 1 : 0) << 16 | UInt32(handle)
    }
}
