/// The packets of Art-Net 4 by which the levels of a DMX universe are sent (ArtDmx).
public enum ArtNetPacket {
    /// The UDP port of Art-Net.
    public static let port: UInt16 = 6454
    /// The number of channels of a universe.
    public static let channels = 512
    /// The numbers of universes: 15 bits.
    public static let universes = 0...32_767

    /// The packet with the levels of all channels of a universe, channel 1 first. `universe` must be in `universes`.
    public static func bytes(universe: Int, levels: [UInt8]) -> [UInt8] {
        // The opcode OpDmx has its low byte first, the version of the protocol its high byte. The sequence 0 says that the receiver
        // must not sort the packets; the physical port is 0, too.
        let header = Array("Art-Net\0".utf8) + [0x00, 0x50, 0, 14, 0, 0]
        let address = [UInt8(universe & 0xFF), UInt8(universe >> 8 & 0x7F)]
        let length = [UInt8(levels.count >> 8 & 0xFF), UInt8(levels.count & 0xFF)]
        return header + address + length + levels
    }
}
