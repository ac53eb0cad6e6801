internal import GameFlow
public import JSON
internal import Sessions

/// A word of a text line, quotes resolved.
public struct TextWord: Equatable, Sendable {
    /// The word as it is meant.
    public var text: String
    /// Where in `text` the value of a `key=value` begins; nil if the word is none.
    public var valueStart: String.Index?
    /// Whether the word, or its value, was quoted from end to end, and so is a string.
    public var isQuoted: Bool
    /// A JSON object that goes on to the end of the line.
    public var object: [Member]?
    /// Where in its line it begins, in bytes.
    public var offset = 0

    public var key: Substring? { valueStart.map { text[..<text.utf8.index(before: $0)] } }
    public var value: Substring { valueStart.map { text[$0...] } ?? text[...] }

    /// A word whose quotes somebody else has resolved: a program's argument.
    public init(argument text: String) {
        self.init(text, equals: text.utf8.firstIndex(of: UInt8(ascii: "=")), isQuoted: false)
    }

    init(_ text: String, equals: String.Index?, isQuoted: Bool) {
        self.text = text
        self.isQuoted = isQuoted
        let isKey = equals.map { Self.isName(text[..<$0]) } ?? false
        valueStart = isKey ? text.utf8.index(after: equals!) : nil
    }

    /// The word's value: as JSON where it parses, else as text; what was quoted is text.
    public var jsonValue: Value {
        let text = String(value)
        if isQuoted { return .string(text) }
        var json = JSONText()
        do { try json.read(Array(text.utf8)[...]) } catch { return .string(text) }
        return json.value(at: JSONText.root)
    }

    /// The word's value as the type that is wanted, if that is known: where a string is wanted, as it
    /// stands, unless it is quoted as a whole.
    public func value(as type: String?) -> Value {
        let read = jsonValue
        if case .string = read { return read }
        return type == String.type ? .string(String(value)) : read
    }

    /// A name as parameters have them.
    private static func isName(_ text: Substring) -> Bool {
        guard let first = text.first, first.isASCII, first.isLetter || first == "_" else {
            return false
        }
        return text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    }
}

/// Splits a text line into words, which quote as in a shell: `'…'` as it stands, `"…"` with `\"` and
/// `\\`, and `\` before any character outside of quotes.
public enum TextWords {
    /// What is wrong with a line, and where the word begins in which it is.
    public struct Flaw: Error {
        public let error: CallError
        public let offset: Int
    }

    ///
    /// In a configuration, `#` before a word begins a comment, and an object of JSON may stand behind `key=` as it
    /// is, its quotes and blanks its own.
    public static func split(_ line: ArraySlice<UInt8>, isConfiguration: Bool = false) throws(Flaw)
        -> [TextWord]
    {
        guard UTF8Check.holds(line) else { throw Flaw(error: .parseError("not UTF-8"), offset: 0) }
        if let place = line.firstIndex(where: { $0 < 0x20 && $0 != 0x09 }) {
            throw Flaw(error: .parseError("a control byte"), offset: place - line.startIndex)
        }
        var words: [TextWord] = []
        var rest = line
        while let start = rest.firstIndex(where: { $0 != 0x20 && $0 != 0x09 }) {
            rest = rest[start...]
            if isConfiguration, rest.first == UInt8(ascii: "#") { break }
            let offset = start - line.startIndex
            let isObject = rest.first == UInt8(ascii: "{")
            do throws(CallError) {
                var word = isObject ? try object(rest) : try word(&rest, isConfiguration)
                word.offset = offset
                words.append(word)
            } catch { throw Flaw(error: error, offset: offset) }
            if isObject { return words }
        }
        return words
    }

    /// A value as it is typed behind `key=` so that it is read as the same again: a string that could be
    /// taken for something else is quoted; in what is written as JSON, `\` stands before what would
    /// quote or end the word.
    public static func write(_ value: Value) -> String {
        if case .string(let text) = value {
            if isPlain(text) { return text }
            if text.unicodeScalars.allSatisfy({ $0.value >= 0x20 }) { return quoted(text) }
        }
        var writer = JSONWriter()
        writer.value(value)
        var word = ""
        for scalar in String(decoding: writer.bytes, as: UTF8.self).unicodeScalars {
            if "\"'\\ ".unicodeScalars.contains(scalar) { word += "\\" }
            word.unicodeScalars.append(scalar)
        }
        return word
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted += "\\" }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }

    private static func isPlain(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, first.properties.isAlphabetic,
            !["true", "false", "null"].contains(text)
        else { return false }
        return text.unicodeScalars.allSatisfy {
            $0.properties.isAlphabetic || ("0"..."9").contains($0)
                || "._-:@/+".unicodeScalars.contains($0)
        }
    }

    /// Arguments or data: `episode=2 level=3`.
    public static func write(_ members: [Member]) -> String {
        members.map { "\($0.name)=\(write($0.value))" }.joined(separator: " ")
    }

    private static func object(_ rest: ArraySlice<UInt8>) throws(CallError) -> TextWord {
        var json = JSONText()
        do throws(JSONError) { try json.read(rest) } catch { throw CallError(error) }
        var word = TextWord("", equals: nil, isQuoted: false)
        word.object = json.object(at: JSONText.root)
        return word
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
        throws(CallError) -> TextWord
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
                guard let next = rest.popFirst() else { throw .parseError("a lone backslash") }
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
        return TextWord(text, equals: index, isQuoted: plain == 0 && quotes == 1)
    }

    private static func quoted(_ quote: UInt8, _ rest: inout ArraySlice<UInt8>) throws(CallError)
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
        throw .parseError("an unclosed quote")
    }
}
