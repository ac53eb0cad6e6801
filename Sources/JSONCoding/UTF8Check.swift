/// Validates UTF-8 by RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
public enum UTF8Check {
    /// The length of the valid sequence that begins at `offset`; 0 if no valid sequence begins there.
    static func length(_ text: Span<UInt8>, _ offset: Int) -> Int {
        let lead = text[offset]
        // The second byte must be within `low...high`; each further byte within 0x80...0xBF.
        let (length, low, high): (Int, UInt8, UInt8)
        switch lead {
        case 0..<0x80: return 1
        case 0xC2...0xDF: (length, low, high) = (2, 0x80, 0xBF)
        case 0xE0: (length, low, high) = (3, 0xA0, 0xBF)
        case 0xED: (length, low, high) = (3, 0x80, 0x9F)
        case 0xE1...0xEF: (length, low, high) = (3, 0x80, 0xBF)
        case 0xF0: (length, low, high) = (4, 0x90, 0xBF)
        case 0xF1...0xF3: (length, low, high) = (4, 0x80, 0xBF)
        case 0xF4: (length, low, high) = (4, 0x80, 0x8F)
        default: return 0
        }
        guard offset + length <= text.count, low...high ~= text[offset + 1] else { return 0 }
        for index in offset + 2..<offset + length
        where text[index] & 0xC0 != 0x80 { return 0 }
        return length
    }

    /// Whether the whole text is valid UTF-8.
    public static func isValid(_ text: ArraySlice<UInt8>) -> Bool {
        let span = text.span
        var offset = 0
        while offset < span.count {
            let sequenceLength = length(span, offset)
            guard sequenceLength > 0 else { return false }
            offset += sequenceLength
        }
        return true
    }
}
