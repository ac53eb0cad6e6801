import TestSupport
import Testing

@testable import Bluetooth

@Suite struct L2CAPAssemblyTests {
    private func fragment(_ data: some Collection<UInt8>, continues: Bool = false) -> ACLFragment {
        var body: [UInt8] = []
        body.append(continues ? UInt16(0x1040) : 0x2040)
        body.append(UInt16(data.count))
        return ACLFragment((body + data)[...])!
    }

    private func frame(_ count: Int, _ channel: UInt16 = 4) -> L2CAPFrame {
        L2CAPFrame(
            channel: channel, payload: (0..<count).map { UInt8(truncatingIfNeeded: $0) })
    }

    @Test func `a frame split at any byte is assembled`() {
        let frame = frame(9)
        for cut in 0...frame.bytes.count {
            var assembly = L2CAPAssembly()
            let first = assembly.add(fragment(frame.bytes[..<cut]))
            let second = assembly.add(fragment(frame.bytes[cut...], continues: true))
            #expect(first ?? second == frame, "cut at \(cut)")
            // The frame is complete already, so the second fragment is an error.
            #expect(assembly.fragmentationErrors == (cut == frame.bytes.count ? 1 : 0))
        }
    }

    @Test func `a header may arrive byte by byte`() {
        let frame = frame(3)
        var assembly = L2CAPAssembly()
        var found: [L2CAPFrame] = []
        for (index, byte) in frame.bytes.enumerated() {
            if let frame = assembly.add(fragment([byte], continues: index > 0)) {
                found.append(frame)
            }
        }
        #expect(found == [frame])
        #expect(assembly.fragmentationErrors == 0)
    }

    @Test func `an empty frame is valid`() {
        var assembly = L2CAPAssembly()
        #expect(assembly.add(fragment(frame(0).bytes)) == frame(0))
    }

    @Test func `a continuation without a beginning is dropped`() {
        var assembly = L2CAPAssembly()
        #expect(assembly.add(fragment(frame(3).bytes, continues: true)) == nil)
        #expect(assembly.add(fragment([], continues: true)) == nil)
        #expect(assembly.fragmentationErrors == 2)
        #expect(assembly.add(fragment(frame(3).bytes)) == frame(3))
    }

    @Test func `a new frame drops an incomplete one`() {
        var assembly = L2CAPAssembly()
        #expect(assembly.add(fragment(frame(9).bytes.prefix(6))) == nil)
        #expect(assembly.add(fragment(frame(3, 5).bytes)) == frame(3, 5))
        #expect(assembly.fragmentationErrors == 1)
        #expect(assembly.add(fragment(frame(9).bytes.dropFirst(6), continues: true)) == nil)
        #expect(assembly.fragmentationErrors == 2)
    }

    @Test func `fragments out of order are dropped`() {
        let bytes = frame(20).bytes
        var assembly = L2CAPAssembly()
        #expect(assembly.add(fragment(bytes[8..<16], continues: true)) == nil)
        #expect(assembly.add(fragment(bytes[..<8])) == nil)
        #expect(assembly.add(fragment(bytes[16...], continues: true)) == nil)
        #expect(assembly.fragmentationErrors == 1)
        #expect(assembly.add(fragment(frame(2).bytes)) == frame(2))
    }

    @Test func `bytes after the end of a frame are dropped`() {
        var assembly = L2CAPAssembly()
        #expect(assembly.add(fragment(frame(3).bytes + [7, 7, 7])) == frame(3))
        #expect(assembly.fragmentationErrors == 1)
    }

    @Test func `the longest frame is accepted, and a longer frame is not`() {
        let longest = frame(L2CAPFrame.limit - 4)
        var assembly = L2CAPAssembly()
        #expect(assembly.add(fragment(longest.bytes)) == longest)
        #expect(assembly.add(fragment(frame(L2CAPFrame.limit - 3).bytes)) == nil)
        #expect(assembly.oversizedFrames == 1)
        #expect(assembly.add(fragment(longest.bytes)) == longest)
    }

    @Test(arguments: [1, 26, 27, 1000, 65_535])
    func `a frame that is too long is skipped to its end`(_ fragmentSize: Int) {
        let bytes = frame(65_535).bytes
        var assembly = L2CAPAssembly()
        for start in stride(from: 0, to: bytes.count, by: fragmentSize) {
            let piece = bytes[start..<min(start + fragmentSize, bytes.count)]
            #expect(assembly.add(fragment(piece, continues: start > 0)) == nil)
        }
        #expect(assembly.oversizedFrames == 1)
        #expect(assembly.fragmentationErrors == 0)
        // The frame has ended, so a continuation is an error.
        #expect(assembly.add(fragment([1], continues: true)) == nil)
        #expect(assembly.fragmentationErrors == 1)
        #expect(assembly.add(fragment(frame(3).bytes)) == frame(3))
    }

    @Test func `a truncated fragment is nil`() {
        let body: [UInt8] = [0x40, 0x20, 3, 0, 1, 2, 3]
        for length in 0..<body.count { #expect(ACLFragment(body[..<length]) == nil) }
        #expect(ACLFragment(body[...])?.data == [1, 2, 3])
        #expect(ACLFragment(body[...])?.handle == 0x40)
        #expect(ACLFragment(body[...])?.isContinuing == false)
    }

    @Test(arguments: seeds(200))
    func `frames are split into packets and assembled again`(_ seed: UInt64) {
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
                if let frame = assembly.add(fragment) { found.append(frame) }
            }
            #expect(found == [frame])
            // A single fragment between two frames does not disturb them.
            if packets.count > 1, random.below(3) == 0 {
                let lone = packets[random.below(packets.count)]
                _ = assembly.add(ACLFragment(lone.body)!)
            }
        }
    }
}

@Suite struct L2CAPSignalTests {
    /// The connection interval is from `low` to `high`, in units of 1.25 ms. `latency` is the number of connection events that
    /// the device may skip. `supervision` is the time after which a silent link counts as lost, in units of 10 ms.
    private typealias Parameters = (low: UInt16, high: UInt16, latency: UInt16, supervision: UInt16)

    /// The signal by which a device requests parameters.
    private func request(_ parameters: Parameters) -> L2CAPSignal {
        var data: [UInt8] = []
        for word in [parameters.low, parameters.high, parameters.latency, parameters.supervision] {
            data.append(word)
        }
        return L2CAPSignal(0x12, 7, data)
    }

    /// Whether the request is accepted. Also expects that parsing returns the parameters of an accepted request, and nil for a
    /// refused request.
    private func isAccepted(_ parameters: Parameters) throws -> Bool {
        let request = request(parameters)
        let answer = try #require(request.answer)
        #expect((answer.code, answer.identifier) == (0x13, 7))
        let isAccepted = answer.data == [0, 0]
        if !isAccepted { #expect(answer.data == [1, 0]) }
        let expected =
            isAccepted
            ? (parameters.low...parameters.high, parameters.latency, parameters.supervision) : nil
        #expect(request.requestedParameters?.interval == expected?.0)
        #expect(request.requestedParameters?.latency == expected?.1)
        #expect(request.requestedParameters?.supervision == expected?.2)
        return isAccepted
    }

    @Test func `connection parameters are accepted up to each bound and refused beyond it`()
        throws
    {
        // The two requests of a line differ by 1 in one number. A device that skips events answers at intervals of up to
        // `(1 + latency) * high`. The supervision timeout must be longer than two of these intervals.
        let pairs: [(bound: String, accepted: Parameters, refused: Parameters)] = [
            ("the shortest interval", (6, 6, 0, 10), (5, 6, 0, 10)),
            ("the longest interval", (6, 3200, 0, 3200), (6, 3201, 0, 3200)),
            ("a shortest interval above the longest one", (7, 7, 0, 10), (8, 7, 0, 10)),
            ("the greatest latency", (6, 25, 499, 3200), (6, 25, 500, 3200)),
            ("the shortest supervision timeout", (6, 6, 0, 10), (6, 6, 0, 9)),
            ("the longest supervision timeout", (6, 6, 0, 3200), (6, 6, 0, 3201)),
            ("more than two intervals", (6, 3200, 0, 801), (6, 3200, 0, 800)),
            ("more than two intervals, with latency", (6, 100, 3, 101), (6, 100, 3, 100)),
        ]
        for (bound, accepted, refused) in pairs {
            #expect(try isAccepted(accepted), "\(bound)")
            #expect(try !isAccepted(refused), "\(bound)")
        }
    }

    @Test func `extreme connection parameters do not trap`() throws {
        let words: [UInt16] = [0, 1, .max]
        for low in words {
            for high in words {
                for latency in words {
                    for supervision in words {
                        #expect(try !isAccepted((low, high, latency, supervision)))
                    }
                }
            }
        }
    }

    @Test func `a truncated parameter request is refused`() {
        let whole = request((6, 6, 0, 10)).data
        for length in whole.indices {
            let signal = L2CAPSignal(0x12, 9, Array(whole[..<length]))
            #expect(signal.requestedParameters == nil)
            #expect(signal.answer == L2CAPSignal(0x13, 9, [1, 0]), "\(length)")
        }
    }

    @Test func `a request for a connection-oriented channel is refused`() {
        let data: [UInt8] = [0x80, 0, 0x40, 0, 0xFF, 0, 0xFF, 0, 1, 0]
        let answer = L2CAPSignal(0x14, 3, data).answer
        #expect(answer == L2CAPSignal(0x15, 3, [0, 0, 0, 0, 0, 0, 0, 0, 2, 0]))
        #expect(L2CAPSignal(0x14, 3, data).requestedParameters == nil)
    }

    @Test func `responses get no response, and unknown signals are rejected`() {
        for code in UInt8.min...UInt8.max {
            let signal = L2CAPSignal(code, 5, [])
            switch code {
            case 0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x15, 0x16, 0x18, 0x1A:
                #expect(signal.answer == nil, "\(code)")
            case 0x12, 0x14: #expect(signal.answer?.code == code + 1)
            // Command not understood.
            default: #expect(signal.answer == L2CAPSignal(0x01, 5, [0, 0]), "\(code)")
            }
        }
    }

    @Test func `an encoded signal can be parsed, and a truncated signal is nil`() {
        let signal = request((6, 12, 1, 300))
        let payload = signal.frame.payload
        #expect(signal.frame.channel == 5)
        #expect(payload == [0x12, 7, 8, 0, 6, 0, 12, 0, 1, 0, 0x2C, 1])
        #expect(L2CAPSignal(payload) == signal)
        for length in payload.indices {
            #expect(L2CAPSignal(Array(payload[..<length])) == nil, "\(length)")
        }
        #expect(L2CAPSignal([0x12, 7, 0xFF, 0xFF, 6, 0]) == nil)
        // Bytes after the end are ignored.
        #expect(L2CAPSignal(payload + [1, 2]) == signal)
    }
}
