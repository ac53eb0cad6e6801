/// The limits of the labels and messages that people attach to a session.
public enum NoteLimits {
    /// The maximum number of labels of a session.
    public static let labels = 32
    /// The maximum length of a label's value, in Unicode scalars.
    public static let labelLength = 200
    /// The maximum length of a label's name, in characters; all of them are ASCII.
    public static let labelNameLength = 64
    /// The allowed lengths of a message, in Unicode scalars. An empty text removes the message.
    public static let messageLength = 1...500

    /// Whether a label may have this name: a letter or `_`, then letters, digits and `_`.
    public static func isLabelName(_ name: String) -> Bool {
        guard let first = name.utf8.first, name.utf8.count <= labelNameLength else { return false }
        func isLetter(_ byte: UInt8) -> Bool {
            // `| 0x20` converts an uppercase letter to lowercase.
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || byte == UInt8(ascii: "_")
        }
        func isDigit(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        return isLetter(first) && name.utf8.allSatisfy { isLetter($0) || isDigit($0) }
    }

    /// Whether a label is shown only to callers who may operate the session.
    public static func isPrivateLabel(_ name: String) -> Bool { name.hasPrefix("_") }

    /// The rule for a label's name, for errors.
    public static let labelNameRule =
        "a label's name is a letter or _, then up to \(labelNameLength - 1) letters, digits and _"
    /// The rule for a label's value, for errors.
    public static let labelValueRule =
        "a label's value is a text of at most \(labelLength) characters"
    /// The rule for a message, for errors.
    public static let messageRule =
        "expected \(messageLength.lowerBound)…\(messageLength.upperBound) characters"
}
