/// A fragment of an L2CAP frame, or a whole frame, that fits into one ACL packet of the controller.
struct ACLFragment: Equatable {
    let handle: UInt16
    /// Whether it continues the link's previous fragment.
    let isContinuing: Bool
    let data: ArraySlice<UInt8>

    /// Parses a packet's body; nil if it is truncated.
    init?(_ body: ArraySlice<UInt8>) {
        var reader = ByteReader(body)
        guard let word = reader.u16(), let length = reader.u16(),
            let data = reader.bytes(Int(length))
        else { return nil }
        handle = word & 0x0FFF
        isContinuing = word >> 12 & 3 == 1
        self.data = data
    }

    /// Splits a frame into packets with at most `limit` bytes of data each. `fromHost` selects the flag of the first fragment,
    /// which is different for packets from the host and for packets to it.
    static func packets(
        of frame: L2CAPFrame, over handle: UInt16, limit: Int, fromHost: Bool
    ) -> [HCIPacket] {
        let bytes = frame.bytes
        return stride(from: 0, to: bytes.count, by: limit).map { start in
            let data = bytes[start..<min(start + limit, bytes.count)]
            let flag: UInt16 = start > 0 ? 1 : fromHost ? 0 : 2
            var packet: [UInt8] = [HCIPacket.Kind.acl.rawValue]
            packet.append(handle | flag << 12)
            packet.append(UInt16(data.count))
            return HCIPacket(.acl, packet + data)
        }
    }
}
