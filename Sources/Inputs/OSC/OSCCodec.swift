/// Decodes OSC 1.0 datagrams. A datagram is one message, or a bundle of messages and further bundles. The time tags of bundles
/// are ignored, so that all messages take effect immediately.
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
        // Skips the time tag, which has 8 bytes.
        _ = try reader.bytes(count: 8)
        while !reader.isAtEnd {
            let size = try reader.int32()
            guard size > 0, size % 4 == 0 else { throw .truncated }
            let element = try reader.bytes(count: Int(size))
            try decode(element, depth: depth + 1, into: &messages)
        }
    }

    private static func message(_ reader: inout OSCReader) throws(OSCError) -> OSCMessage {
        let address = try reader.text()
        guard address.utf8.first == UInt8(ascii: "/") else { throw .address }
        // Old senders leave out the type tags of messages without arguments.
        if reader.isAtEnd { return OSCMessage(address) }
        let types = try reader.text().utf8
        guard types.first == UInt8(ascii: ",") else { throw .noTypes }
        // The comma and one type tag for each argument.
        guard types.count <= OSCLimit.arguments + 1 else { throw .count }
        var arguments: [OSCArgument] = []
        for type in types.dropFirst() { arguments.append(try reader.argument(type)) }
        guard reader.isAtEnd else { throw .excess }
        return OSCMessage(address, arguments)
    }
}

/// Reads the parts of a message or a bundle, from its beginning to its end. A method throws `OSCError.truncated` if too few
/// bytes remain. Numbers are big-endian.
private struct OSCReader {
    /// The bytes that were not read yet.
    private var remaining: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { remaining = bytes }

    var isAtEnd: Bool { remaining.isEmpty }

    mutating func bytes(count: Int) throws(OSCError) -> ArraySlice<UInt8> {
        guard count <= remaining.count else { throw .truncated }
        defer { remaining = remaining.dropFirst(count) }
        return remaining.prefix(count)
    }

    /// A text that ends with a zero byte, and is padded with zero bytes to a multiple of four bytes.
    mutating func text() throws(OSCError) -> String {
        guard let end = remaining.firstIndex(of: 0) else { throw .truncated }
        let length = end - remaining.startIndex
        let paddedText = try bytes(count: length / 4 * 4 + 4)
        guard let text = String(validating: paddedText.prefix(length), as: UTF8.self) else {
            throw .text
        }
        return text
    }

    mutating func int32() throws(OSCError) -> Int32 {
        Int32(bitPattern: try bytes(count: 4).reduce(0) { $0 << 8 | UInt32($1) })
    }

    mutating func uint64() throws(OSCError) -> UInt64 {
        try bytes(count: 8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The next argument, whose type tag is `type`.
    mutating func argument(_ type: UInt8) throws(OSCError) -> OSCArgument {
        switch type {
        case UInt8(ascii: "i"): return .int(try int32())
        case UInt8(ascii: "f"): return .float(Float(bitPattern: UInt32(bitPattern: try int32())))
        case UInt8(ascii: "s"), UInt8(ascii: "S"): return .text(try text())
        case UInt8(ascii: "b"):
            let count = try int32()
            guard count >= 0 else { throw .truncated }
            let blob = Array(try bytes(count: Int(count)))
            // Skips the bytes that pad the blob to a multiple of four bytes.
            _ = try bytes(count: (4 - blob.count % 4) % 4)
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
                // Pads the blob to a multiple of four bytes.
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

    /// A text up to its first zero byte, and one to four zero bytes, which make the length a multiple of four.
    private static func padded(_ text: [UInt8]) -> [UInt8] {
        let text = text.prefix { $0 != 0 }
        return text + [UInt8](repeating: 0, count: 4 - text.count % 4)
    }
}
