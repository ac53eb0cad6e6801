import Fuzzing
import Inputs

/// Fuzzes the decoder of the packets that an MQTT broker sends. The packets must not depend on the pieces in which their
/// bytes arrive.
@main struct MQTTFuzz {
    static func main() { fuzz { MQTTFuzz.test($0, $1) } }

    static func test(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
        let bytes = Array(UnsafeBufferPointer(start: data, count: size))
        let (whole, split) = (
            packets(bytes, inPiecesOf: max(1, size)), packets(bytes, inPiecesOf: 3)
        )
        check(whole.packets == split.packets, "packets depend on the pieces")
        check(whole.error == split.error, "the error depends on the pieces")
        for case .message(let message, _) in whole.packets {
            check(message.payload.count <= MQTTLimit.packetBytes, "a long payload")
            check(MQTTTopic.isName(message.topic), "an invalid topic")
        }
        return 0
    }

    private static func packets(_ bytes: [UInt8], inPiecesOf size: Int) -> (
        packets: [MQTTPacket], error: String?
    ) {
        var decoder = MQTTDecoder()
        var packets: [MQTTPacket] = []
        for piece in pieces(of: bytes, size: size) {
            decoder.add(piece)
            do throws(MQTTError) {
                while let packet = try decoder.next() { packets.append(packet) }
            } catch { return (packets, "\(error)") }
        }
        return (packets, nil)
    }
}
