public import GameFlow
public import Support

/// A word of a text line, or the JSON object at the end of the line.
public struct TextWord: Equatable, Sendable {
    /// The parts of the word; for an object, an empty word with the object's offset.
    private var word: Word
    /// The object; nil for a word.
    public private(set) var object: [Member]?

    public init(_ word: Word) { self.word = word }

    /// A command-line argument. Throws if it begins with `{` and is not a JSON object.
    public init(argument text: String) throws(JSONError) {
        word = Word(argument: text)
        guard text.utf8.first == UInt8(ascii: "{") else { return }
        object = try Self.object(Array(text.utf8)[...])
    }

    /// The JSON object `text`, which begins at the offset in its line, in bytes.
    init(object text: ArraySlice<UInt8>, offset: Int) throws(JSONError) {
        word = Word(argument: "")
        word.offset = offset
        object = try Self.object(text)
    }

    private static func object(_ text: ArraySlice<UInt8>) throws(JSONError) -> [Member] {
        var json = JSONText()
        try json.read(text)
        return json.object(at: JSONText.root)
    }

    /// The word without its quotes; empty for an object.
    public var text: String { word.text }
    /// Whether the whole word, or its whole value, was quoted. If so, the value is a string.
    public var isQuoted: Bool { word.isQuoted }
    /// The offset in the line, in bytes.
    public var offset: Int { word.offset }
    /// The key of `key=value`; nil for any other word.
    public var key: Substring? { word.key }
    /// The value of `key=value`; the whole text of any other word.
    public var value: Substring { word.value }

    /// The value parsed as JSON. A value that was quoted or is not JSON is returned as a string.
    public var jsonValue: Value {
        let text = String(value)
        if isQuoted { return .string(text) }
        var json = JSONText()
        do { try json.read(Array(text.utf8)[...]) } catch { return .string(text) }
        return json.value(at: JSONText.root)
    }

    /// Like `jsonValue`, but if `wantsString` is true, a value of another type is returned as a string with its text.
    public func jsonValue(wantsString: Bool) -> Value {
        let parsed = jsonValue
        if case .string = parsed { return parsed }
        return wantsString ? .string(String(value)) : parsed
    }
}

/// Splits a text line into words, and formats values as words.
public enum TextWords {
    /// Splits a line. A word that begins with `{` is a JSON object, which extends to the end of
    /// the line.
    ///
    /// A JSON object or array after `key=` needs no quotes. In a configuration, a `#` at the beginning of a word begins a
    /// comment.
    public static func split(_ line: ArraySlice<UInt8>, isConfiguration: Bool = false)
        throws(TextWordsError)
        -> [TextWord]
    {
        let split: (words: [Word], object: ArraySlice<UInt8>?)
        do throws(WordsError) {
            split = try Words.split(line, isConfiguration: isConfiguration)
        } catch { throw TextWordsError(reason: .words(error.why), offset: error.offset) }
        let words = split.words.map { TextWord($0) }
        guard let object = split.object else { return words }
        let offset = object.startIndex - line.startIndex
        do throws(JSONError) {
            return words + [try TextWord(object: object, offset: offset)]
        } catch {
            throw TextWordsError(reason: .object(error), offset: offset)
        }
    }

    /// Formats a value so that it is parsed as the same value after `key=`, whatever types are declared. A string for which
    /// `isPlain` is true is written without quotes, unless it is JSON. A string with control characters, or a value of another type, is written as JSON. In this JSON, a `\`
    /// precedes each character that would quote or end the word. Any other string is quoted.
    ///
    /// If `escapesForTerminal` is true, the word contains no character that a terminal interprets, and is still parsed as the
    /// same value: a string with such a character is written as JSON.
    public static func write(_ value: Value, escapesForTerminal: Bool = false) -> String {
        if case .string(let text) = value {
            if isPlain(text), !isJSON(text) { return text }
            let isUnsafe = text.unicodeScalars.contains {
                $0.value < 0x20 || escapesForTerminal && TerminalText.isInterpreted($0)
            }
            if !isUnsafe { return quoted(text) }
        }
        var writer = JSONWriter()
        writer.value(value)
        var word = ""
        var json = String(decoding: writer.bytes, as: UTF8.self)
        // In a string of JSON, the escapes of `TerminalText` are valid.
        if escapesForTerminal { json = TerminalText.escaped(json) }
        for scalar in json.unicodeScalars {
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

    /// Formats a text so that it is parsed as the same text after `key=` where each value is a text, as in labels and settings:
    /// `hints=3`. The word needs no quotes if the text is JSON.
    public static func write(text: String) -> String {
        isPlain(text) ? text : write(.string(text))
    }

    /// Whether a string without quotes is one word with the same text, in a line and in a shell. True if the string has only
    /// letters, digits, some signs, and visible characters beyond ASCII. A string with `@` at its beginning is not plain,
    /// because such a word names a session.
    private static func isPlain(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, first != "@" else { return false }
        return text.unicodeScalars.allSatisfy {
            guard $0.isASCII else {
                return !$0.properties.isWhitespace && !TerminalText.isInterpreted($0)
            }
            return $0.properties.isAlphabetic || ("0"..."9").contains($0)
                || "._-:@/+,%".unicodeScalars.contains($0)
        }
    }

    /// Whether a plain string is a number or a literal of JSON.
    private static func isJSON(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, first == "-" || ("0"..."9").contains(first)
        else {
            return ["true", "false", "null"].contains(text)
        }
        var json = JSONText()
        do { try json.read(Array(text.utf8)[...]) } catch { return false }
        return true
    }

    /// Formats arguments or data: `episode=2 level=3`.
    public static func write(_ members: [Member], escapesForTerminal: Bool = false) -> String {
        members.map {
            "\($0.name)=\(write($0.value, escapesForTerminal: escapesForTerminal))"
        }.joined(separator: " ")
    }
}

/// An error in a line. `offset` is the offset in bytes of the malformed word or object, or of the control byte; 0 if the line
/// is not UTF-8.
public struct TextWordsError: DescribedError, Equatable {
    public enum Cause: Equatable, Sendable {
        /// The line cannot be split.
        case words(_ why: String)
        /// The object at the end of the line cannot be parsed.
        case object(JSONError)
    }

    public let reason: Cause
    public let offset: Int

    public var why: String {
        switch reason {
        case .words(let why): why
        case .object(let error): error.why
        }
    }
}
