import Inputs
import TestSupport
import Testing

@Suite struct MQTTCodecTests {
    private func packets(_ bytes: [UInt8]) throws -> [MQTTPacket] {
        var decoder = MQTTDecoder()
        decoder.add(bytes[...])
        var packets: [MQTTPacket] = []
        while let packet = try decoder.next() { packets.append(packet) }
        return packets
    }

    private func error(_ bytes: [UInt8]) -> MQTTError? {
        do { _ = try packets(bytes) } catch { return error as? MQTTError }
        return nil
    }

    @Test func `the connect packet has the bytes of the standard`() {
        var login = MQTTLogin(client: "c", user: "u", password: Array("p".utf8))
        login.keepAliveSeconds = 30
        let packet: [UInt8] = [
            0x10, 19, 0, 4, 0x4D, 0x51, 0x54, 0x54, 4, 0xC2, 0, 30, 0, 1, 0x63, 0, 1, 0x75, 0, 1,
            0x70,
        ]
        // 0xC2, the tenth byte, says: with a user name, a password and a clean session.
        #expect(MQTTEncoder.connect(login) == packet)
        login.will = MQTTMessage(topic: "w", payload: [7], isRetained: true)
        // The same, with a will that is retained and has QoS 1.
        #expect(MQTTEncoder.connect(login)[9] == 0xEE)
    }

    @Test func `a message with QoS 1 has an id, and one with QoS 0 has none`() throws {
        let message = MQTTMessage(topic: "a/b", payload: [1, 2])
        #expect(
            try packets(
                MQTTEncoder.publish(message, id: 513) + MQTTEncoder.publish(message, id: nil))
                == [.message(message, id: 513), .message(message, id: nil)])
    }

    @Test func `packets are decoded for any split of the bytes`() throws {
        let message = MQTTMessage(
            topic: "room/é", payload: [UInt8](repeating: 7, count: 300), isRetained: true)
        let bytes: [UInt8] =
            [0x20, 2, 0, 0, 0x90, 3, 0, 1, 0x80, 0xB0, 2, 0, 2, 0xD0, 0, 0x40, 2, 1, 0]
            + MQTTEncoder.publish(message, id: 9)
        let expected: [MQTTPacket] = [
            .connected(code: 0), .subscribed(1, codes: [0x80]), .unsubscribed(2), .alive,
            .acknowledged(256), .message(message, id: 9),
        ]
        #expect(try packets(bytes) == expected)
        for size in 1...7 {
            var decoder = MQTTDecoder()
            var found: [MQTTPacket] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                decoder.add(bytes[start..<min(start + size, bytes.count)])
                while let packet = try decoder.next() { found.append(packet) }
            }
            #expect(found == expected)
        }
    }

    @Test func `packets that a broker must not send are errors`() {
        #expect(error([0x30, 0xFF, 0xFF, 0xFF, 0xFF, 1]) == .length)
        #expect(error([0x10, 0]) == .unexpectedPacket(type: 1))
        #expect(error([0x21, 2, 0, 0]) == .flags(type: 2))
        #expect(error([0x34, 5, 0, 1, 0x61, 0, 1]) == .flags(type: 3))
        #expect(error([0x30, 2, 0, 5]) == .contents(type: 3))
        #expect(error([0x32, 5, 0, 1, 0x61, 0, 0]) == .contents(type: 3))
        #expect(error([0x40, 3, 0, 1, 0]) == .contents(type: 4))
        // The topic `+`, and a topic that is not UTF-8.
        #expect(error([0x30, 3, 0, 1, 0x2B]) == .topic)
        #expect(error([0x30, 3, 0, 1, 0xFF]) == .topic)
        // The length is one byte more than the limit. Each byte has seven bits of the length, the lowest bits first.
        #expect(error([0x90, 0x81, 0x80, 0x08]) == .tooLong(131_073))
    }

    @Test func `the payload of a message that is too long is skipped, and the next packet follows`()
        throws
    {
        let long = MQTTMessage(
            topic: "t", payload: [UInt8](repeating: 1, count: MQTTLimit.packetBytes))
        let bytes = MQTTEncoder.publish(long, id: 5) + [0xD0, 0]
        #expect(try packets(bytes) == [.oversized(topic: "t", id: 5), .alive])
        var decoder = MQTTDecoder()
        var found: [MQTTPacket] = []
        for start in stride(from: 0, to: bytes.count, by: 1000) {
            decoder.add(bytes[start..<min(start + 1000, bytes.count)])
            while let packet = try decoder.next() { found.append(packet) }
        }
        #expect(found == [.oversized(topic: "t", id: 5), .alive])
    }

    @Test(arguments: seeds(300)) func `random bytes do not trap the decoder`(
        seed: UInt64
    ) {
        var random = SeededRandom(seed)
        var decoder = MQTTDecoder()
        let kinds: [UInt8] = [0x20, 0x30, 0x32, 0x40, 0x90, 0xB0, 0xD0]
        for _ in 0..<40 {
            var bytes: [UInt8] = [random.pick(kinds), UInt8(random.below(12))]
            for _ in 0..<random.below(14) {
                bytes.append(UInt8(random.below(4) * random.below(64)))
            }
            decoder.add(bytes[...])
            do { while try decoder.next() != nil {} } catch { return }
        }
    }

    @Test func `filters select topics as the standard says`() {
        func matches(_ filter: String, _ topic: String) -> Bool {
            MQTTTopic.matches(MQTTTopic.levels(of: filter), MQTTTopic.levels(of: topic))
        }
        for (filter, topic) in [
            ("a/b", "a/b"), ("+/b", "a/b"), ("#", "a/b"), ("a/#", "a"), ("a/#", "a/b/c"),
            ("+/+", "/a"), ("/+", "/a"), ("$SYS/#", "$SYS/a"),
            // A combining character after a slash does not belong to the slash.
            ("a/+", "a/\u{301}b"), ("a/\u{301}b", "a/\u{301}b"),
        ] { #expect(matches(filter, topic), "\(filter) \(topic)") }
        for (filter, topic) in [
            ("a/b", "a/c"), ("a", "a/b"), ("a/+", "a"), ("+", "/a"), ("#", "$SYS/a"),
            ("+/a", "$SYS/a"), ("a/b", "a"), ("\u{E9}/+", "e\u{301}/b"), ("\u{E9}", "e\u{301}"),
        ] { #expect(!matches(filter, topic), "\(filter) \(topic)") }
        for filter in ["a/+/b", "#", "a/#", "+"] { #expect(MQTTTopic.isFilter(filter)) }
        for filter in ["", "a#", "#/a", "a+/b", "a\0"] { #expect(!MQTTTopic.isFilter(filter)) }
        #expect(!MQTTTopic.isFilter("a+\u{301}") && !MQTTTopic.isName("a+\u{301}"))
        #expect(MQTTTopic.removingCovered(["\u{E9}", "e\u{301}"]).count == 2)
        #expect(
            MQTTTopic.removingCovered(["a/b", "a/+", "a/b", "c/#", "c", "d"]) == [
                "a/+", "c/#", "d",
            ])
    }
}
