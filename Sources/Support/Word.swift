/// A word of a line, quotes resolved.
public struct Word: Equatable, Sendable {
    /// The word as it is meant.
    public var text: String
    /// Where in `text` the value of a `key=value` begins; nil if the word is none.
    public var valueStart: String.Index?
    /// Whether the word, or its value, was quoted from end to end.
    public var isQuoted: Bool
    /// Where in its line it begins, in bytes.
    public var offset = 0

    public var key: Substring? { valueStart.map { text[..<text.utf8.index(before: $0)] } }
    public var value: Substring { valueStart.map { text[$0...] } ?? text[...] }

    /// A word without quotes: a program's argument.
    public init(argument text: String) {
        self.init(text, equals: text.utf8.firstIndex(of: UInt8(ascii: "=")), isQuoted: false)
    }

    init(_ text: String, equals: String.Index?, isQuoted: Bool) {
        self.text = text
        self.isQuoted = isQuoted
        valueStart = equals.flatMap {
            Self.isName(text[..<$0]) ? text.utf8.index(after: $0) : nil
        }
    }

    /// A name as parameters have them.
    private static func isName(_ text: Substring) -> Bool {
        guard let first = text.first, first.isASCII, first.isLetter || first == "_" else {
            return false
        }
        return text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    }
}
