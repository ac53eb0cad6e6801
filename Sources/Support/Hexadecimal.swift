/// Bytes as hexadecimal text with two digits for each byte.
public enum Hexadecimal {
    /// Parses `01ff` in upper or lower case; nil if a digit is invalid or the number of digits is odd.
    public static func read(_ text: some StringProtocol) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = byte(digits[index..<index + 2]) else { return nil }
            bytes.append(byte)
        }
        return bytes
    }

    /// Formats bytes as `01FF` or `01ff`.
    public static func write(_ bytes: some Sequence<UInt8>, uppercase: Bool = true) -> String {
        var text = ""
        for byte in bytes { text += self.text(byte, uppercase: uppercase) }
        return text
    }

    /// The byte that one or two digits represent. Nil if a digit is invalid. The caller checks the number of digits.
    public static func byte(_ digits: some Collection<UInt8>) -> UInt8? {
        var value: UInt8 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | digit & 0x0F
            // The low four bits of a letter are 1 for `A` and `a`, so the digit is 9 more.
            case UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: "a")...UInt8(ascii: "f"):
                value = value << 4 | (digit & 0x0F + 9)
            default: return nil
            }
        }
        return value
    }

    /// The two digits of a byte.
    public static func text(_ byte: UInt8, uppercase: Bool = true) -> String {
        let text = String(byte, radix: 16, uppercase: uppercase)
        return byte < 16 ? "0" + text : text
    }
}
