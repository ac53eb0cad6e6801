/// The content of an ACL packet. ACL packets carry a link's data between the host and the controller. The content is an L2CAP
/// frame, or a fragment of a frame that is too long for one packet.
struct ACLFragment: Equatable {
    /// The connection handle of the link.
    let handle: UInt16
    /// Whether this fragment continues the link's previous fragment.
    let isContinuing: Bool
    let data: ArraySlice<UInt8>

    /// Parses a packet without its type byte; nil if the packet is truncated.
    init?(_ body: ArraySlice<UInt8>) {
        var reader = ByteReader(body)
        guard let word = reader.u16(), let length = reader.u16(),
            let data = reader.bytes(Int(length))
        else { return nil }
        // 12 bits for the handle; then 2 bits for the position in the frame: 1 means a continuation.
        handle = word & 0x0FFF
        isContinuing = word >> 12 & 3 == 1
        self.data = data
    }

    /// Splits a frame into packets with at most `limit` bytes of data each. `fromHost` is true for packets that a host sends,
    /// and false for packets that a controller sends. The first fragment of a frame has different marks in the two cases.
    static func packets(
        of frame: L2CAPFrame, over handle: UInt16, limit: Int, fromHost: Bool
    ) -> [HCIPacket] {
        let bytes = frame.bytes
        return stride(from: 0, to: bytes.count, by: limit).map { start in
            let data = bytes[start..<min(start + limit, bytes.count)]
            let position: UInt16 = start > 0 ? 1 : fromHost ? 0 : 2
            var packet: [UInt8] = [HCIPacket.Kind.acl.rawValue]
            packet.append(handle | position << 12)
            packet.append(UInt16(data.count))
            return HCIPacket(.acl, packet + data)
        }
    }
}
