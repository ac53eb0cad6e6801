/// How the lines of a serial device are told from each other.
public enum LineBounds: Equatable, Sendable {
    /// Each line ends with this.
    case end(LineEnd)
    /// Each line is between two bytes. What is outside them is no line.
    case frame(LineFrame)
}

/// The bytes before and after each line of a device that frames what it sends, such as STX and ETX of a card reader.
public struct LineFrame: Equatable, Sendable {
    public let first: UInt8
    public let last: UInt8

    /// Nil if the bytes are equal, because a lost byte would then turn the text between two lines into a line.
    public init?(_ first: UInt8, _ last: UInt8) {
        guard first != last else { return nil }
        (self.first, self.last) = (first, last)
    }

    /// Reads two bytes in hexadecimal, such as `02..03`.
    public init?(_ text: String) {
        // Four digits, and the dots between them. `UInt8` would also read a sign.
        let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard text.utf8.count == 6, text.utf8.dropFirst(2).prefix(2).elementsEqual("..".utf8),
            digits.count == 4, let first = UInt8(exactly: digits[0] << 4 | digits[1]),
            let last = UInt8(exactly: digits[2] << 4 | digits[3])
        else { return nil }
        self.init(first, last)
    }
}
