import Fuzzing
import Inputs

/// Fuzzes the patterns for inputs of devices: OSC addresses, lines of text from serial devices, and MQTT topics. The bytes are
/// a pattern, a newline, and the text that is compared with the pattern.
@main struct PatternFuzz {
    static func main() { fuzz { PatternFuzz.test($0, $1) } }

    static func test(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
        let bytes = Array(UnsafeBufferPointer(start: data, count: min(size, 512)))
        let parts = bytes.split(separator: 0x0A, maxSplits: 1)
        guard parts.count == 2 else { return 0 }
        let (pattern, text) = (
            String(decoding: parts[0], as: UTF8.self), String(decoding: parts[1], as: UTF8.self)
        )
        _ = OSCPattern(pattern)?.matches(text)
        let line = LinePattern(pattern)
        if let found = line.match(Array(text.utf8)) {
            check(found.count == line.captureCount, "\(found.count) captures")
        }
        guard MQTTTopic.isFilter(pattern), MQTTTopic.isName(text) else { return 0 }
        let (filter, topic) = (MQTTTopic.levels(of: pattern), MQTTTopic.levels(of: text))
        if pattern == text {
            check(MQTTTopic.matches(filter, topic), "a topic does not match itself")
        }
        return 0
    }
}
