public import Timers

/// The file in which packets between host and controller are kept: btsnoop, version 1, of H4 packets (1002). tshark
/// and btmon read it.
public enum BtsnoopFormat {
    /// `btsnoop`, the version, and what its packets are.
    public static let header: [UInt8] = Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 0x03, 0xEA]
    static let headerLength = 16
    static let recordLength = 24
    /// Microseconds from the year 0, as btsnoop counts them, to the Unix epoch.
    static let epoch: Int64 = 0x00DC_DDB3_0F2F_8000
    /// The longest packet that is read: a type, a header, and as many bytes as that can say.
    static let packetLimit = 65_540

    /// A packet as it stands in the file. The clock's zero counts as the Unix epoch.
    public static func record(_ packet: HCIPacket, _ direction: PacketDirection, _ at: Instant)
        -> [UInt8]
    {
        let length = UInt32(packet.bytes.count)
        // Whether it was received; whether it is a command or an event.
        let isTalk = packet.kind == .command || packet.kind == .event
        let flags: UInt32 = (direction == .toHost ? 1 : 0) | (isTalk ? 2 : 0)
        let time = UInt64(bitPattern: at.nanoseconds / 1000 + epoch)
        return bytes(length) + bytes(length) + bytes(flags) + bytes(UInt32(0)) + bytes(time)
            + packet.bytes
    }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}
