/// Splits a line into words, which quote as in a shell: `'…'` as it stands, `"…"` with `\"` and `\\`, and `\`
/// before any character outside of quotes.
public enum Words {
    /// What is wrong with a line, and where the word begins in which it is.
    public struct Flaw: Error, Equatable {
        public let why: String
        public let offset: Int
    }

    /// The words of a line up to the first one that begins with `{`; from there on the line is `rest`, which is
    /// nil where there is none.
    ///
    /// In a configuration, `#` before a word begins a comment, and `{…}` may stand behind `key=` as it is, its
    /// quotes and blanks its own.
    public static func split(_ line: ArraySlice<UInt8>, isConfiguration: Bool = false) throws(Flaw)
        -> (words: [Word], rest: ArraySlice<UInt8>?)
    {
        guard String(validating: line, as: UTF8.self) != nil else {
            throw Flaw(why: "not UTF-8", offset: 0)
        }
        if let place = line.firstIndex(where: { $0 < 0x20 && $0 != 0x09 }) {
            throw Flaw(why: "a control byte", offset: place - line.startIndex)
        }
        var words: [Word] = []
        var rest = line
        while let start = rest.firstIndex(where: { $0 != 0x20 && $0 != 0x09 }) {
            rest = rest[start...]
            if isConfiguration, rest.first == UInt8(ascii: "#") { break }
            if rest.first == UInt8(ascii: "{") { return (words, rest) }
            let offset = start - line.startIndex
            do throws(Malformed) {
                var word = try word(&rest, isConfiguration)
                word.offset = offset
                words.append(word)
            } catch { throw Flaw(why: error.why, offset: offset) }
        }
        return (words, nil)
    }

    private struct Malformed: Error {
        let why: String
    }

    /// How many bytes an object at the beginning has; nil if there is none.
    private static func objectLength(_ rest: ArraySlice<UInt8>) -> Int? {
        guard rest.first == UInt8(ascii: "{") else { return nil }
        var (depth, isQuoted, isEscaped) = (0, false, false)
        for (place, byte) in rest.enumerated() {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isQuoted: isEscaped = true
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: "{") where !isQuoted: depth += 1
            case UInt8(ascii: "}") where !isQuoted: depth -= 1
            default: break
            }
            if depth == 0 { return place + 1 }
        }
        return nil
    }

    private static func word(_ rest: inout ArraySlice<UInt8>, _ isConfiguration: Bool)
        throws(Malformed) -> Word
    {
        var bytes: [UInt8] = []
        var equals: Int?
        var plain = 0  // bytes outside of quotes, since the word or its value began
        var quotes = 0
        while let byte = rest.first, byte != 0x20, byte != 0x09 {
            rest.removeFirst()
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\""):
                bytes += try quoted(byte, &rest)
                quotes += 1
            case UInt8(ascii: "\\"):
                guard let next = rest.popFirst() else { throw Malformed(why: "a lone backslash") }
                bytes.append(next)
                plain += 1
            case UInt8(ascii: "=") where equals == nil && quotes == 0:
                equals = bytes.count
                bytes.append(byte)
                plain = 0
                if isConfiguration, let length = objectLength(rest) {
                    bytes += rest.prefix(length)
                    rest = rest.dropFirst(length)
                    plain += length
                }
            default:
                bytes.append(byte)
                plain += 1
            }
        }
        let text = String(decoding: bytes, as: UTF8.self)
        let index = equals.map { text.utf8.index(text.startIndex, offsetBy: $0) }
        return Word(text, equals: index, isQuoted: plain == 0 && quotes == 1)
    }

    private static func quoted(_ quote: UInt8, _ rest: inout ArraySlice<UInt8>) throws(Malformed)
        -> [UInt8]
    {
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == quote { return bytes }
            if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\""), let next = rest.first,
                next == UInt8(ascii: "\\") || next == quote
            {
                bytes.append(next)
                rest.removeFirst()
            } else {
                bytes.append(byte)
            }
        }
        throw Malformed(why: "an unclosed quote")
    }
}
