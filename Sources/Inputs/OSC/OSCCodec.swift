/// Decodes datagrams. The result for a bundle is its messages. The time tags of bundles are ignored, so that all messages take
/// effect immediately.
public enum OSCDecoder {
    public static func decode(_ datagram: ArraySlice<UInt8>) throws(OSCError) -> [OSCMessage] {
        var messages: [OSCMessage] = []
        try decode(datagram, depth: 0, into: &messages)
        return messages
    }

    private static func decode(
        _ bytes: ArraySlice<UInt8>, depth: Int, into messages: inout [OSCMessage]
    ) throws(OSCError) {
        var reader = OSCReader(bytes)
        guard bytes.first == UInt8(ascii: "#") else {
            guard messages.count < OSCLimit.messages else { throw .count }
            return messages.append(try message(&reader))
        }
        guard depth < OSCLimit.depth else { throw .depth }
        guard try reader.text() == "#bundle" else { throw .address }
        // The time tag.
        _ = try reader.take(8)
        while !reader.isAtEnd {
            let size = try reader.int32()
            guard size > 0, size % 4 == 0 else { throw .truncated }
            try decode(try reader.take(Int(size)), depth: depth + 1, into: &messages)
        }
    }

    private static func message(_ reader: inout OSCReader) throws(OSCError) -> OSCMessage {
        let address = try reader.text()
        guard address.utf8.first == UInt8(ascii: "/") else { throw .address }
        // Old senders leave out the type tags of messages without arguments.
        if reader.isAtEnd { return OSCMessage(address) }
        let types = try reader.text().utf8
        guard types.first == UInt8(ascii: ",") else { throw .noTypes }
        guard types.count <= OSCLimit.arguments + 1 else { throw .count }
        var arguments: [OSCArgument] = []
        for type in types.dropFirst() { arguments.append(try reader.argument(type)) }
        guard reader.isAtEnd else { throw .excess }
        return OSCMessage(address, arguments)
    }
}

/// Reads the parts of a message. Every read checks the remaining length.
private struct OSCReader {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { bytes.isEmpty }

    mutating func take(_ count: Int) throws(OSCError) -> ArraySlice<UInt8> {
        guard count <= bytes.count else { throw .truncated }
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count)
    }

    /// A text that ends with a zero byte, and is padded with zero bytes to a multiple of four bytes.
    mutating func text() throws(OSCError) -> String {
        guard let end = bytes.firstIndex(of: 0) else { throw .truncated }
        let length = end - bytes.startIndex
        let padded = try take(length / 4 * 4 + 4)
        guard let text = String(validating: padded.prefix(length), as: UTF8.self) else {
            throw .text
        }
        return text
    }

    mutating func int32() throws(OSCError) -> Int32 {
        Int32(bitPattern: try take(4).reduce(0) { $0 << 8 | UInt32($1) })
    }

    mutating func uint64() throws(OSCError) -> UInt64 {
        try take(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func argument(_ type: UInt8) throws(OSCError) -> OSCArgument {
        switch type {
        case UInt8(ascii: "i"): return .int(try int32())
        case UInt8(ascii: "f"): return .float(Float(bitPattern: UInt32(bitPattern: try int32())))
        case UInt8(ascii: "s"), UInt8(ascii: "S"): return .text(try text())
        case UInt8(ascii: "b"):
            let count = try int32()
            guard count >= 0 else { throw .truncated }
            let blob = Array(try take(Int(count)))
            _ = try take((4 - blob.count % 4) % 4)
            return .blob(blob)
        case UInt8(ascii: "T"): return .truth(true)
        case UInt8(ascii: "F"): return .truth(false)
        case UInt8(ascii: "N"): return .null
        case UInt8(ascii: "I"): return .impulse
        case UInt8(ascii: "h"): return .long(Int64(bitPattern: try uint64()))
        case UInt8(ascii: "d"): return .double(Double(bitPattern: try uint64()))
        default: throw .type(type)
        }
    }
}

/// Encodes messages. A text is cut at its first zero byte, because OSC texts cannot contain zero bytes.
public enum OSCEncoder {
    public static func encode(_ message: OSCMessage) -> [UInt8] {
        var types: [UInt8] = [UInt8(ascii: ",")]
        var contents: [UInt8] = []
        for argument in message.arguments {
            switch argument {
            case .int(let value):
                types.append(UInt8(ascii: "i"))
                contents += bigEndian(UInt32(bitPattern: value))
            case .float(let value):
                types.append(UInt8(ascii: "f"))
                contents += bigEndian(value.bitPattern)
            case .text(let value):
                types.append(UInt8(ascii: "s"))
                contents += padded(Array(value.utf8))
            case .blob(let value):
                types.append(UInt8(ascii: "b"))
                contents += bigEndian(UInt32(truncatingIfNeeded: value.count)) + value
                contents += [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
            case .truth(let value): types.append(UInt8(ascii: value ? "T" : "F"))
            case .null: types.append(UInt8(ascii: "N"))
            case .impulse: types.append(UInt8(ascii: "I"))
            case .long(let value):
                types.append(UInt8(ascii: "h"))
                contents += bigEndian(UInt64(bitPattern: value))
            case .double(let value):
                types.append(UInt8(ascii: "d"))
                contents += bigEndian(value.bitPattern)
            }
        }
        return padded(Array(message.address.utf8)) + padded(types) + contents
    }

    private static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }

    private static func padded(_ text: [UInt8]) -> [UInt8] {
        let text = text.prefix { $0 != 0 }
        return text + [UInt8](repeating: 0, count: 4 - text.count % 4)
    }
}
