/// Strings and numbers.
extension JSONScanner {
    mutating func string(_ text: Span<UInt8>, _ nodes: inout GrowingBuffer<JSONText.Node>)
        throws(JSONError)
    {
        at += 1
        let start = at
        var hasEscapes = false
        while true {
            skipPlain(text)
            guard at < text.count else { throw malformed("an unclosed string") }
            switch text[at] {
            case UInt8(ascii: "\""):
                append(.string, flag: hasEscapes, start, &nodes)
                at += 1
                return
            case UInt8(ascii: "\\"):
                hasEscapes = true
                try escape(text)
            case 0..<0x20: throw malformed("a control byte in a string")
            case 0x20..<0x80: at += 1
            default:
                let length = UTF8Check.length(text, at)
                guard length > 0 else { throw malformed("not UTF-8") }
                at += length
            }
        }
    }

    /// Skips ASCII that stands in a string as it is, eight bytes at a time.
    @inline(__always) private mutating func skipPlain(_ text: Span<UInt8>) {
        let bytes = text.bytes
        while at + 8 <= bytes.byteCount {
            // Within the bounds, as was just checked.
            let word = bytes.unsafeLoadUnaligned(fromByteOffset: at, as: UInt64.self)
            // Little-endian: the first byte is the lowest.
            let special = JSONString.special(UInt64(littleEndian: word))
            guard special == 0 else {
                at += special.trailingZeroBitCount / 8
                return
            }
            at += 8
        }
    }

    private mutating func escape(_ text: Span<UInt8>) throws(JSONError) {
        at += 1
        switch byte(text) {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
            UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            at += 1
        case UInt8(ascii: "u"):
            let unit = try hex(text)
            guard unit & 0xF800 == 0xD800 else { return }
            // A surrogate: the first half, and directly behind it the second.
            guard unit < 0xDC00, byte(text) == UInt8(ascii: "\\") else {
                throw malformed("half a surrogate pair")
            }
            at += 1
            guard byte(text) == UInt8(ascii: "u"), 0xDC00...0xDFFF ~= (try hex(text)) else {
                throw malformed("half a surrogate pair")
            }
        default: throw malformed("no such escape")
        }
    }

    /// The four digits after `\u`.
    private mutating func hex(_ text: Span<UInt8>) throws(JSONError) -> UInt32 {
        at += 1
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = JSONString.hexDigit(byte(text)) else {
                throw malformed("four hexadecimal digits are missing")
            }
            unit = unit << 4 | digit
            at += 1
        }
        return unit
    }

    // MARK: numbers

    mutating func number(_ text: Span<UInt8>, _ nodes: inout GrowingBuffer<JSONText.Node>)
        throws(JSONError)
    {
        let start = at
        if byte(text) == UInt8(ascii: "-") { at += 1 }
        if byte(text) == UInt8(ascii: "0") { at += 1 } else { try digits(text) }
        if byte(text) == UInt8(ascii: ".") {
            at += 1
            try digits(text)
        }
        if byte(text) | 0x20 == UInt8(ascii: "e") {
            at += 1
            if byte(text) == UInt8(ascii: "+") || byte(text) == UInt8(ascii: "-") { at += 1 }
            try digits(text)
        }
        append(.number, start, &nodes)
    }

    private mutating func digits(_ text: Span<UInt8>) throws(JSONError) {
        let start = at
        while UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte(text) { at += 1 }
        guard at > start else { throw malformed("a digit is missing") }
    }
}
