/// Splits a line into words, with quotes as in a shell: `'…'` is literal, `"…"` allows `\"` and
/// `\\`, and outside of quotes `\` escapes any character.
public enum Words {
    /// Splits the line into words up to the first word that begins with `{`. `object` is the part of the line from this `{` to
    /// the end: a JSON object, which is not checked. `object` is nil if no word begins with `{`.
    ///
    /// A JSON value `{…}` or `[…]` after `key=` needs no quotes. If `isConfiguration` is true, a `#` at the beginning of a word
    /// begins a comment, which is ignored.
    public static func split(_ line: ArraySlice<UInt8>, isConfiguration: Bool = false)
        throws(WordsError)
        -> (words: [Word], object: ArraySlice<UInt8>?)
    {
        guard String(validating: line, as: UTF8.self) != nil else {
            throw WordsError(why: "not UTF-8", offset: 0)
        }
        if let index = line.firstIndex(where: { $0 < 0x20 && $0 != 0x09 }) {
            throw WordsError(why: "a control byte", offset: index - line.startIndex)
        }
        var words: [Word] = []
        var unread = line
        while let start = unread.firstIndex(where: { $0 != 0x20 && $0 != 0x09 }) {
            unread = unread[start...]
            if isConfiguration, unread.first == UInt8(ascii: "#") { break }
            if unread.first == UInt8(ascii: "{") { return (words, unread) }
            let offset = start - line.startIndex
            do throws(MalformedWordError) {
                var word = try word(&unread)
                word.offset = offset
                words.append(word)
            } catch { throw WordsError(why: error.why, offset: offset) }
        }
        return (words, nil)
    }

    /// The reason why a word is malformed; `split` adds the word's offset.
    private struct MalformedWordError: Error {
        let why: String
    }

    /// The length, in bytes, of the JSON object or array at the beginning of `unread`. Nil if `unread` begins with anything
    /// else, or if the object or array is not complete.
    private static func jsonLength(_ unread: ArraySlice<UInt8>) -> Int? {
        guard unread.first == UInt8(ascii: "{") || unread.first == UInt8(ascii: "[") else {
            return nil
        }
        var (depth, isQuoted, isEscaped) = (0, false, false)
        for (index, byte) in unread.enumerated() {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isQuoted: isEscaped = true
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: "{") where !isQuoted, UInt8(ascii: "[") where !isQuoted: depth += 1
            case UInt8(ascii: "}") where !isQuoted, UInt8(ascii: "]") where !isQuoted: depth -= 1
            default: break
            }
            if depth == 0 { return index + 1 }
        }
        return nil
    }

    /// Removes the first word from `unread` and returns it. `unread` must not begin with a space or a tab.
    private static func word(_ unread: inout ArraySlice<UInt8>) throws(MalformedWordError) -> Word {
        var bytes: [UInt8] = []
        var equalsOffset: Int?
        var unquotedCount = 0  // bytes outside of quotes, since the word or its value began
        var quotedParts = 0  // parts in quotes, in the whole word
        while let byte = unread.first, byte != 0x20, byte != 0x09 {
            unread.removeFirst()
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\""):
                bytes += try quoted(byte, &unread)
                quotedParts += 1
            case UInt8(ascii: "\\"):
                guard let next = unread.popFirst() else {
                    throw MalformedWordError(why: "a lone backslash")
                }
                bytes.append(next)
                unquotedCount += 1
            // Only the first `=` separates a key from a value, and only if no part of the key is quoted.
            case UInt8(ascii: "=") where equalsOffset == nil && quotedParts == 0:
                equalsOffset = bytes.count
                bytes.append(byte)
                unquotedCount = 0
                if let length = jsonLength(unread) {
                    bytes += unread.prefix(length)
                    unread = unread.dropFirst(length)
                    unquotedCount += length
                }
            default:
                bytes.append(byte)
                unquotedCount += 1
            }
        }
        let text = String(decoding: bytes, as: UTF8.self)
        let equalsIndex = equalsOffset.map { text.utf8.index(text.startIndex, offsetBy: $0) }
        return Word(
            text, equalsIndex: equalsIndex, isQuoted: unquotedCount == 0 && quotedParts == 1)
    }

    /// Removes the rest of a quoted part, whose opening quote has been removed, from `unread`. Returns the part without quotes
    /// and escapes.
    private static func quoted(_ quote: UInt8, _ unread: inout ArraySlice<UInt8>)
        throws(MalformedWordError)
        -> [UInt8]
    {
        var bytes: [UInt8] = []
        while let byte = unread.popFirst() {
            if byte == quote { return bytes }
            if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\""), let next = unread.first,
                next == UInt8(ascii: "\\") || next == quote
            {
                bytes.append(next)
                unread.removeFirst()
            } else {
                bytes.append(byte)
            }
        }
        throw MalformedWordError(why: "an unclosed quote")
    }
}

/// A word of a line, or a command-line argument.
public struct Word: Equatable, Sendable {
    /// The word without its quotes.
    public var text: String
    /// The beginning of the value of `key=value` in `text`; nil for any other word.
    public var valueStart: String.Index?
    /// Whether the whole word, or its whole value, was quoted.
    public var isQuoted: Bool
    /// The offset of the word's first byte in the line, in bytes.
    public var offset = 0

    /// The key of `key=value`; nil for any other word.
    public var key: Substring? { valueStart.map { text[..<text.utf8.index(before: $0)] } }
    /// The value of `key=value`; the whole text of any other word.
    public var value: Substring { valueStart.map { text[$0...] } ?? text[...] }

    /// A command-line argument, in which quotes have no meaning.
    public init(argument text: String) {
        self.init(text, equalsIndex: text.utf8.firstIndex(of: UInt8(ascii: "=")), isQuoted: false)
    }

    /// `equalsIndex` is the index of the first `=`; nil if the word has no `=` or if a quote precedes it. If the text before
    /// this `=` is a valid parameter name, the word is a key and its value.
    init(_ text: String, equalsIndex: String.Index?, isQuoted: Bool) {
        self.text = text
        self.isQuoted = isQuoted
        valueStart = equalsIndex.flatMap {
            Self.isName(text[..<$0]) ? text.utf8.index(after: $0) : nil
        }
    }

    /// Whether the text is a valid parameter name.
    private static func isName(_ text: Substring) -> Bool {
        guard let first = text.first, first.isASCII, first.isLetter || first == "_" else {
            return false
        }
        return text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    }
}

/// An error in a line. `offset` is the offset in bytes of the malformed word or the control byte; 0 if the line is not UTF-8.
public struct WordsError: DescribedError, Equatable {
    public let why: String
    public let offset: Int
}
