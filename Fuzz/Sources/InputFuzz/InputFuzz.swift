import Fuzzing
import Inputs

/// Fuzzes the decoders of what devices and brokers send. The first byte selects the decoder.
@main struct InputFuzz {
    static func main() { fuzz { InputFuzz.test($0, $1) } }

    static func test(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
        let bytes = Array(UnsafeBufferPointer(start: data, count: size))
        guard let kind = bytes.first else { return 0 }
        let rest = bytes.dropFirst()
        switch kind % 5 {
        case 0: check(packets(rest, 1 << 20) == packets(rest, 3), "packets depend on the pieces")
        case 1: message(rest)
        case 2: check(lines(rest, 1 << 20) == lines(rest, 7), "lines depend on the pieces")
        case 3: check(keys(rest, 1 << 20) == keys(rest, 5), "keys depend on the pieces")
        default: pattern(rest)
        }
        return 0
    }

    private static func pieces(_ bytes: ArraySlice<UInt8>, _ size: Int) -> [ArraySlice<UInt8>] {
        stride(from: bytes.startIndex, to: bytes.endIndex, by: size).map {
            bytes[$0..<min($0 + size, bytes.endIndex)]
        }
    }

    private static func packets(_ bytes: ArraySlice<UInt8>, _ size: Int) -> [MQTTPacket] {
        var decoder = MQTTDecoder()
        var packets: [MQTTPacket] = []
        for piece in pieces(bytes, size) {
            decoder.add(piece)
            do throws(MQTTError) {
                while let packet = try decoder.next() { packets.append(packet) }
            } catch { return packets }
        }
        return packets
    }

    private static func message(_ bytes: ArraySlice<UInt8>) {
        guard let messages = try? OSCDecoder.decode(bytes) else { return }
        for message in messages {
            let again = OSCEncoder.encode(message)
            guard let read = try? OSCDecoder.decode(again[...]) else {
                return check(false, "an encoded message is refused")
            }
            check(OSCEncoder.encode(read[0]) == again, "a message changes when it is encoded")
        }
    }

    private static func lines(_ bytes: ArraySlice<UInt8>, _ size: Int) -> [[UInt8]] {
        var splitter = LineSplitter()
        let lines = pieces(bytes, size).flatMap { splitter.add($0) }
        for line in lines { check(line.count <= LineSplitter.longest, "a long line") }
        return lines
    }

    private static func keys(_ bytes: ArraySlice<UInt8>, _ size: Int) -> [UInt16] {
        var decoder = InputEventDecoder()
        return pieces(bytes, size).flatMap { decoder.add($0) }
    }

    /// A pattern, an end of line, and the text to compare.
    private static func pattern(_ bytes: ArraySlice<UInt8>) {
        let parts = bytes.prefix(512).split(separator: 0x0A, maxSplits: 1)
        guard parts.count == 2 else { return }
        let (pattern, text) = (
            String(decoding: parts[0], as: UTF8.self), String(decoding: parts[1], as: UTF8.self)
        )
        _ = OSCPattern(pattern)?.matches(text)
        let line = LinePattern(pattern)
        if let found = line.match(Array(text.utf8)) {
            check(found.count == line.captures, "\(found.count) captures")
        }
        guard MQTTTopic.isFilter(pattern), MQTTTopic.isName(text) else { return }
        let (filter, topic) = (MQTTTopic.levels(of: pattern), MQTTTopic.levels(of: text))
        if pattern == text { check(MQTTTopic.matches(filter, topic), "a topic is not its own") }
    }
}
