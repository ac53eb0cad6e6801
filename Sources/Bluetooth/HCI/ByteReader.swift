/// Parses a Bluetooth packet from its beginning. Numbers are in little-endian order. Each method returns nil if fewer bytes
/// remain than it needs.
struct ByteReader {
    /// The bytes that have not been read yet.
    private(set) var remaining: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { remaining = bytes }

    var isEmpty: Bool { remaining.isEmpty }

    mutating func u8() -> UInt8? { remaining.popFirst() }

    mutating func i8() -> Int8? { u8().map { Int8(bitPattern: $0) } }

    mutating func u16() -> UInt16? {
        guard remaining.count >= 2 else { return nil }
        let first = remaining.startIndex
        let value = UInt16(remaining[first]) | UInt16(remaining[first + 1]) << 8
        remaining = remaining.dropFirst(2)
        return value
    }

    /// The next `count` bytes.
    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, remaining.count >= count else { return nil }
        defer { remaining = remaining.dropFirst(count) }
        return remaining.prefix(count)
    }
}

extension [UInt8] {
    /// Appends a number in little-endian order.
    mutating func append(_ value: UInt16) {
        append(UInt8(truncatingIfNeeded: value))
        append(UInt8(truncatingIfNeeded: value >> 8))
    }
}
