import TestSupport
import Testing

@testable import Bluetooth

@Suite struct H4FramerTests {
    /// A packet with a payload of `count` bytes.
    private func packet(_ kind: HCIPacket.Kind, _ count: Int) -> [UInt8] {
        let (low, high) = (UInt8(truncatingIfNeeded: count), UInt8(count >> 8))
        let header: [UInt8] =
            switch kind {
            case .event: [0x0E, low]
            case .command, .synchronous: [0x01, 0x20, low]
            case .acl: [0x40, 0x20, low, high]
            case .isochronous: [0x40, 0x20, low, high]
            }
        return [kind.rawValue] + header + (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
    }

    private func takePackets(from framer: inout H4Framer) -> [[UInt8]] {
        var packets: [[UInt8]] = []
        while let packet = framer.next() { packets.append(packet.bytes) }
        return packets
    }

    @Test func `packets split at any byte are assembled`() {
        let packets = HCIPacket.Kind.allCases.flatMap { [packet($0, 0), packet($0, 5)] }
        let stream = packets.flatMap(\.self)
        for cut in 0...stream.count {
            var framer = H4Framer()
            framer.append(stream[..<cut])
            let first = takePackets(from: &framer)
            framer.append(stream[cut...])
            #expect(first + takePackets(from: &framer) == packets, "cut at \(cut)")
            #expect(framer.framingErrors == 0 && framer.bufferedCount == 0)
        }
    }

    @Test(arguments: seeds(200))
    func `packets in pieces of any size are assembled`(_ seed: UInt64) {
        var random = SeededRandom(seed)
        let packets = (0..<random.below(40)).map { _ in
            packet(random.pick(HCIPacket.Kind.allCases), random.below(256))
        }
        var remainingBytes = packets.flatMap(\.self)[...]
        var framer = H4Framer()
        var assembled: [[UInt8]] = []
        while !remainingBytes.isEmpty {
            let piece = remainingBytes.prefix(1 + random.below(90))
            framer.append(piece)
            remainingBytes = remainingBytes.dropFirst(piece.count)
            // Sometimes no packets are taken after a piece; a later round takes them.
            if random.below(3) == 0 { assembled += takePackets(from: &framer) }
        }
        #expect(assembled + takePackets(from: &framer) == packets)
        #expect(framer.framingErrors == 0 && framer.bufferedCount == 0)
    }

    @Test(arguments: [
        (HCIPacket.Kind.acl, 65_535, 65_540), (.isochronous, 0x3FFF, 16_388), (.event, 255, 258),
        (.command, 255, 259), (.synchronous, 255, 259),
    ])
    func `the longest packet of a kind is assembled`(
        _ kind: HCIPacket.Kind, _ payload: Int, _ length: Int
    ) {
        let bytes = packet(kind, payload)
        #expect(bytes.count == length)
        var framer = H4Framer()
        framer.append(bytes.dropLast())
        #expect(framer.next() == nil)
        #expect(framer.bufferedCount == length - 1)
        framer.append(bytes.suffix(1))
        #expect(framer.next()?.bytes == bytes)
        #expect(framer.bufferedCount == 0)
    }

    @Test func `the two bits above an isochronous length are ignored`() {
        var framer = H4Framer()
        framer.append([5, 0x40, 0x20, 2, 0xC0, 8, 9])
        // The body is everything after the packet's type.
        #expect(framer.next()?.body.count == 6)
        #expect(framer.bufferedCount == 0)
    }

    @Test(arguments: [0] + Array(6...255) as [UInt8])
    func `an unknown type and the received bytes after it are dropped and counted as one error`(
        _ type: UInt8
    ) {
        let validPacket = packet(.event, 3)
        var framer = H4Framer()
        framer.append(validPacket + [type] + validPacket)
        #expect(takePackets(from: &framer) == [validPacket])
        #expect(framer.framingErrors == 1)
        #expect(framer.bufferedCount == 0)
        framer.append(validPacket)
        #expect(takePackets(from: &framer) == [validPacket])
        #expect(framer.framingErrors == 1)
    }

    @Test func `an unknown type inside a packet is data`() {
        let bytes: [UInt8] = [4, 0x0E, 3, 0xFF, 0, 9]
        var framer = H4Framer()
        framer.append(bytes)
        #expect(takePackets(from: &framer) == [bytes])
        #expect(framer.framingErrors == 0)
    }

    @Test func `the buffered bytes can be dropped`() {
        var framer = H4Framer()
        framer.append(packet(.acl, 300).dropLast())
        #expect(framer.next() == nil)
        framer.reset()
        #expect(framer.bufferedCount == 0)
        framer.append(packet(.event, 1))
        #expect(framer.next()?.kind == .event)
    }

    @Test(arguments: seeds(60, long: 300))
    func `at most one incomplete packet is buffered`(_ seed: UInt64) {
        var random = SeededRandom(seed)
        var framer = H4Framer()
        for _ in 0..<40 {
            let bytes = (0..<random.below(4000)).map { _ in
                // Mostly valid packet types.
                random.below(4) > 0 ? UInt8(random.below(6)) : UInt8(random.below(256))
            }
            framer.append(bytes)
            while let packet = framer.next() {
                #expect(packet.bytes.count <= 65_540)
                #expect(packet.bytes.first == packet.kind.rawValue)
            }
            #expect(framer.bufferedCount < 65_540)
        }
    }
}
