/// Parses a packet from its beginning, in little-endian order. Each method returns nil if there
/// are not enough bytes; a length field is never trusted.
struct ByteReader {
    /// The bytes that have not been read yet.
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isEmpty: Bool { rest.isEmpty }

    mutating func u8() -> UInt8? { rest.popFirst() }

    mutating func i8() -> Int8? { u8().map { Int8(bitPattern: $0) } }

    mutating func u16() -> UInt16? {
        guard rest.count >= 2 else { return nil }
        let first = rest.startIndex
        let value = UInt16(rest[first]) | UInt16(rest[first + 1]) << 8
        rest = rest.dropFirst(2)
        return value
    }

    /// The next `count` bytes.
    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}

extension [UInt8] {
    /// Appends a number in little-endian order.
    mutating func append(_ value: UInt16) {
        append(UInt8(truncatingIfNeeded: value))
        append(UInt8(truncatingIfNeeded: value >> 8))
    }
}
