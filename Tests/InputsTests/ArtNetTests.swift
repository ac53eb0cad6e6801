import Inputs
import Testing

@Suite struct ArtNetTests {
    @Test func `a packet has the header of ArtDmx, its universe and the levels`() {
        let levels = [UInt8](repeating: 7, count: ArtNetPacket.channels)
        let bytes = ArtNetPacket.bytes(universe: 0x1203, levels: levels)
        #expect(bytes.count == 18 + 512)
        #expect(Array(bytes[..<8]) == Array("Art-Net\0".utf8))
        // The opcode 0x5000, version 14, no sequence, port 0, universe 0x1203, and 512 levels.
        #expect(Array(bytes[8..<18]) == [0, 0x50, 0, 14, 0, 0, 0x03, 0x12, 2, 0])
        #expect(bytes[18...].allSatisfy { $0 == 7 })
    }

    @Test func `channels and universes beyond the limits are refused`() {
        let sender = ArtNetSender()
        for (channel, universe, host) in [
            (0, 0, "127.0.0.1"), (513, 0, "127.0.0.1"), (1, 32_768, "127.0.0.1"),
            (1, -1, "127.0.0.1"), (1, 0, "lights.local"),
        ] {
            let failure = sender.send([(channel, 1)], universe: universe, toHost: host, port: 6454)
            #expect(failure != nil, "\(channel) \(universe) \(host)")
        }
    }
}
