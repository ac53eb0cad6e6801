import TestSupport
import Testing

@testable import Bluetooth

@Suite struct L2CAPAssemblyTests {
    private func fragment(_ data: some Collection<UInt8>, goesOn: Bool = false) -> ACLFragment {
        var body: [UInt8] = []
        body.append(goesOn ? UInt16(0x1040) : 0x2040)
        body.append(UInt16(data.count))
        return ACLFragment((body + data)[...])!
    }

    private func frame(_ count: Int, _ channel: UInt16 = 4) -> L2CAPFrame {
        L2CAPFrame(
            channel: channel, payload: (0..<count).map { UInt8(truncatingIfNeeded: $0) })
    }

    @Test func `a frame that is split at any place comes out equal`() {
        let frame = frame(9)
        for cut in 0...frame.bytes.count {
            var assembly = L2CAPAssembly()
            let first = assembly.take(fragment(frame.bytes[..<cut]))
            let second = assembly.take(fragment(frame.bytes[cut...], goesOn: true))
            #expect(first ?? second == frame, "cut at \(cut)")
            // Whole already: what comes then belongs nowhere.
            #expect(assembly.strays == (cut == frame.bytes.count ? 1 : 0))
        }
    }

    @Test func `even a header may come byte by byte`() {
        let frame = frame(3)
        var assembly = L2CAPAssembly()
        var found: [L2CAPFrame] = []
        for (place, byte) in frame.bytes.enumerated() {
            if let frame = assembly.take(fragment([byte], goesOn: place > 0)) {
                found.append(frame)
            }
        }
        #expect(found == [frame])
        #expect(assembly.strays == 0)
    }

    @Test func `a frame of nothing is a frame`() {
        var assembly = L2CAPAssembly()
        #expect(assembly.take(fragment(frame(0).bytes)) == frame(0))
    }

    @Test func `what goes on without a beginning is a stray`() {
        var assembly = L2CAPAssembly()
        #expect(assembly.take(fragment(frame(3).bytes, goesOn: true)) == nil)
        #expect(assembly.take(fragment([], goesOn: true)) == nil)
        #expect(assembly.strays == 2)
        #expect(assembly.take(fragment(frame(3).bytes)) == frame(3))
    }

    @Test func `a beginning drops what was never finished`() {
        var assembly = L2CAPAssembly()
        #expect(assembly.take(fragment(frame(9).bytes.prefix(6))) == nil)
        #expect(assembly.take(fragment(frame(3, 5).bytes)) == frame(3, 5))
        #expect(assembly.strays == 1)
        #expect(assembly.take(fragment(frame(9).bytes.dropFirst(6), goesOn: true)) == nil)
        #expect(assembly.strays == 2)
    }

    @Test func `fragments out of order make no frame`() {
        let bytes = frame(20).bytes
        var assembly = L2CAPAssembly()
        #expect(assembly.take(fragment(bytes[8..<16], goesOn: true)) == nil)
        #expect(assembly.take(fragment(bytes[..<8])) == nil)
        #expect(assembly.take(fragment(bytes[16...], goesOn: true)) == nil)
        #expect(assembly.strays == 1)
        #expect(assembly.take(fragment(frame(2).bytes)) == frame(2))
    }

    @Test func `what stands behind a frame's end belongs to nothing`() {
        var assembly = L2CAPAssembly()
        #expect(assembly.take(fragment(frame(3).bytes + [7, 7, 7])) == frame(3))
        #expect(assembly.strays == 1)
    }

    @Test func `the longest frame is taken, and one byte more is not`() {
        let longest = frame(L2CAPFrame.limit - 4)
        var assembly = L2CAPAssembly()
        #expect(assembly.take(fragment(longest.bytes)) == longest)
        #expect(assembly.take(fragment(frame(L2CAPFrame.limit - 3).bytes)) == nil)
        #expect(assembly.oversized == 1)
        #expect(assembly.take(fragment(longest.bytes)) == longest)
    }

    @Test(arguments: [1, 26, 27, 1000, 65_535])
    func `a frame that is too long is skipped to its end`(_ size: Int) {
        let bytes = frame(65_535).bytes
        var assembly = L2CAPAssembly()
        for start in stride(from: 0, to: bytes.count, by: size) {
            let piece = bytes[start..<min(start + size, bytes.count)]
            #expect(assembly.take(fragment(piece, goesOn: start > 0)) == nil)
        }
        #expect(assembly.oversized == 1)
        #expect(assembly.strays == 0)
        // It is over: there is nothing to go on with.
        #expect(assembly.take(fragment([1], goesOn: true)) == nil)
        #expect(assembly.strays == 1)
        #expect(assembly.take(fragment(frame(3).bytes)) == frame(3))
    }

    @Test func `a fragment that is cut off is none`() {
        let body: [UInt8] = [0x40, 0x20, 3, 0, 1, 2, 3]
        for length in 0..<body.count { #expect(ACLFragment(body[..<length]) == nil) }
        #expect(ACLFragment(body[...])?.data == [1, 2, 3])
        #expect(ACLFragment(body[...])?.handle == 0x40)
        #expect(ACLFragment(body[...])?.isContinuing == false)
    }

    @Test(arguments: seeds(200))
    func `what is cut into packets is put together again`(_ seed: UInt64) {
        var random = SeededRandom(seed)
        var assembly = L2CAPAssembly()
        for _ in 0..<30 {
            let frame = frame(random.below(L2CAPFrame.limit - 3), UInt16(random.below(65_536)))
            let fromHost = random.below(2) == 0
            let packets = ACLFragment.packets(
                of: frame, over: 0x0EFF, limit: 1 + random.below(300), fromHost: fromHost)
            var found: [L2CAPFrame] = []
            for packet in packets {
                let fragment = ACLFragment(packet.body)!
                #expect(fragment.handle == 0x0EFF)
                if let frame = assembly.take(fragment) { found.append(frame) }
            }
            #expect(found == [frame])
            // A broken frame in between disturbs none of the others.
            if packets.count > 1, random.below(3) == 0 {
                let lone = packets[random.below(packets.count)]
                _ = assembly.take(ACLFragment(lone.body)!)
            }
        }
    }
}
