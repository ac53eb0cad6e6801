import Fuzzing
import Inputs

/// Fuzzes the decoder of OSC messages and bundles. A decoded message must stay the same when it is encoded and decoded.
@main struct OSCFuzz {
    static func main() { fuzz { OSCFuzz.test($0, $1) } }

    static func test(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
        let bytes = Array(UnsafeBufferPointer(start: data, count: size))
        guard let messages = try? OSCDecoder.decode(bytes[...]) else { return 0 }
        for message in messages {
            check(message.arguments.count <= OSCLimit.arguments, "many arguments")
            let encoded = OSCEncoder.encode(message)
            guard let decoded = try? OSCDecoder.decode(encoded[...]), decoded.count == 1 else {
                check(false, "an encoded message is refused")
                continue
            }
            check(OSCEncoder.encode(decoded[0]) == encoded, "a message changes when it is encoded")
        }
        return 0
    }
}
