/// Decodes and detects escapes in strings.
enum JSONString {
    static func hexDigit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    /// Whether a text needs no escapes. Reads eight bytes at a time, so that a short name, as most
    /// texts are, needs few steps.
    static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var at = 0
        while at + 8 <= text.count {
            let word = UnsafeRawPointer(text.baseAddress! + at).loadUnaligned(as: UInt64.self)
            if escapeMask(word) != 0 { return false }
            at += 8
        }
        while at < text.count {
            if text[at] < 0x20 || text[at] == 0x22 || text[at] == 0x5C { return false }
            at += 1
        }
        return true
    }

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let topBits: UInt64 = 0x8080_8080_8080_8080

    /// For eight bytes: not 0 if one of them needs an escape. The lowest bit that is set belongs
    /// to the first such byte; the bits above it are not meaningful.
    @inline(__always) private static func escapeMask(_ word: UInt64) -> UInt64 {
        let quote = word ^ (ones &* 0x22)
        let backslash = word ^ (ones &* 0x5C)
        // The subtractions set the top bit of a byte of `word` below 0x20, and of a byte of `quote` or `backslash` that is 0.
        let found =
            ((word &- ones &* 0x20) & ~word) | ((quote &- ones) & ~quote)
            | ((backslash &- ones) & ~backslash)
        return found & topBits
    }

    /// Like `escapeMask`, but also not 0 if one of the bytes is not ASCII.
    @inline(__always) static func specialMask(_ word: UInt64) -> UInt64 {
        escapeMask(word) | word & topBits
    }

    static func unescape(_ raw: UnsafeBufferPointer<UInt8>) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(raw.count)
        var at = 0
        while at < raw.count {
            if raw[at] == UInt8(ascii: "\\") {
                at += 1
                bytes.append(contentsOf: String(scalar(raw, &at)).utf8)
            } else {
                bytes.append(raw[at])
                at += 1
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The scalar of an escape; `at` is moved from after the backslash to after the escape.
    private static func scalar(_ raw: UnsafeBufferPointer<UInt8>, _ at: inout Int)
        -> Unicode.Scalar
    {
        at += 1
        switch raw[at - 1] {
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            let unit = hex(raw, &at)
            guard unit & 0xF800 == 0xD800 else { return Unicode.Scalar(unit) ?? "\u{FFFD}" }
            // Skips the `\u` of the low surrogate. The scanner has checked that it follows.
            at += 2
            let low = hex(raw, &at)
            return Unicode.Scalar(0x10000 + (unit & 0x3FF) << 10 + low & 0x3FF) ?? "\u{FFFD}"
        case let other: return Unicode.Scalar(other)
        }
    }

    private static func hex(_ raw: UnsafeBufferPointer<UInt8>, _ at: inout Int) -> UInt32 {
        defer { at += 4 }
        return (at..<at + 4).reduce(0) { $0 << 4 | (hexDigit(raw[$1]) ?? 0) }
    }
}
