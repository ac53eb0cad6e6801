/// Finds and decodes the escapes of JSON strings, for `JSONScanner`, `JSONText` and `JSONWriter`.
@usableFromInline enum JSONString {
    /// The value of a hexadecimal digit; nil for any other byte.
    static func hexDigit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    /// Whether a text needs no escapes in JSON. Reads eight bytes at a time: most texts are names, which then take one or two
    /// steps.
    static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var offset = 0
        while offset + 8 <= text.count {
            let word = UnsafeRawPointer(text.baseAddress! + offset).loadUnaligned(as: UInt64.self)
            if escapeMask(word) != 0 { return false }
            offset += 8
        }
        while offset < text.count {
            if text[offset] < 0x20 || text[offset] == 0x22 || text[offset] == 0x5C { return false }
            offset += 1
        }
        return true
    }

    @inlinable static var ones: UInt64 { 0x0101_0101_0101_0101 }
    @inlinable static var topBits: UInt64 { 0x8080_8080_8080_8080 }

    /// Returns 0 if none of eight bytes needs an escape. Otherwise the lowest set bit of the result belongs to the first byte
    /// that needs an escape; the higher bits have no meaning. `word` is the eight bytes, loaded as a little-endian integer.
    @inlinable @inline(__always) static func escapeMask(_ word: UInt64) -> UInt64 {
        let quote = word ^ (ones &* 0x22)
        let backslash = word ^ (ones &* 0x5C)
        // The first subtraction sets the top bit of a byte of `word` that is less than 0x20. The other subtractions set the top
        // bit of a byte of `quote` or `backslash` that is 0.
        let markedBytes =
            ((word &- ones &* 0x20) & ~word) | ((quote &- ones) & ~quote)
            | ((backslash &- ones) & ~backslash)
        return markedBytes & topBits
    }

    /// As `escapeMask`, for the first byte that needs an escape or is not ASCII.
    @inlinable @inline(__always) static func specialMask(_ word: UInt64) -> UInt64 {
        escapeMask(word) | word & topBits
    }

    /// Decodes the content of a string whose escapes the scanner has checked.
    static func unescape(_ raw: UnsafeBufferPointer<UInt8>) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(raw.count)
        var offset = 0
        while offset < raw.count {
            if raw[offset] == UInt8(ascii: "\\") {
                offset += 1
                bytes.append(contentsOf: String(scalar(raw, &offset)).utf8)
            } else {
                bytes.append(raw[offset])
                offset += 1
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the scalar of an escape, and moves `offset` from the byte after the backslash to the byte after the escape.
    private static func scalar(_ raw: UnsafeBufferPointer<UInt8>, _ offset: inout Int)
        -> Unicode.Scalar
    {
        offset += 1
        switch raw[offset - 1] {
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            let unit = hex(raw, &offset)
            guard unit & 0xF800 == 0xD800 else { return Unicode.Scalar(unit) ?? "\u{FFFD}" }
            // Skips the `\u` of the low surrogate. The scanner has checked that it follows.
            offset += 2
            let low = hex(raw, &offset)
            return Unicode.Scalar(0x10000 + (unit & 0x3FF) << 10 + low & 0x3FF) ?? "\u{FFFD}"
        case let other: return Unicode.Scalar(other)
        }
    }

    /// Returns the number of the four hexadecimal digits at `offset`, and moves `offset` past them.
    private static func hex(_ raw: UnsafeBufferPointer<UInt8>, _ offset: inout Int) -> UInt32 {
        defer { offset += 4 }
        return (offset..<offset + 4).reduce(0) { $0 << 4 | (hexDigit(raw[$1]) ?? 0) }
    }
}
