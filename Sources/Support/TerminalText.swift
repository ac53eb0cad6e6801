/// Escapes characters that a terminal would interpret.
public enum TerminalText {
    /// Whether a terminal interprets the character instead of showing it. A terminal interprets control characters, separators
    /// of lines and of paragraphs, and controls of the text direction.
    public static func isInterpreted(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// The text, in which the characters that a terminal interprets are escaped.
    public static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isInterpreted) else { return text }
        var escapedText = ""
        for scalar in text.unicodeScalars {
            if isInterpreted(scalar) {
                escapedText += escape(scalar)
            } else {
                escapedText.unicodeScalars.append(scalar)
            }
        }
        return escapedText
    }

    /// The escape of a character in JSON and YAML, such as `\u009b`.
    public static func escape(_ scalar: Unicode.Scalar) -> String {
        let hex = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: max(0, 4 - hex.count)) + hex
    }
}
