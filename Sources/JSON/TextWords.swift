public import GameFlow
public import Support

/// A word of a text line, or a JSON object that goes on to the end of the line.
public struct TextWord: Equatable, Sendable {
    private var word: Word
    /// The object; nil of a word.
    public private(set) var object: [Member]?

    public init(_ word: Word) { self.word = word }

    /// A program's argument. Throws where it begins with `{` and is no JSON object.
    public init(argument text: String) throws(JSONError) {
        word = Word(argument: text)
        guard text.utf8.first == UInt8(ascii: "{") else { return }
        object = try Self.object(Array(text.utf8)[...])
    }

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

    /// The word as it is meant, quotes resolved; empty of an object.
    public var text: String { word.text }
    /// Whether the word, or its value, was quoted from end to end, and so is a string.
    public var isQuoted: Bool { word.isQuoted }
    /// Where in its line it begins, in bytes.
    public var offset: Int { word.offset }
    public var key: Substring? { word.key }
    public var value: Substring { word.value }

    /// The word's value: as JSON where it parses, else as text; what was quoted is text.
    public var jsonValue: Value {
        let text = String(value)
        if isQuoted { return .string(text) }
        var json = JSONText()
        do { try json.read(Array(text.utf8)[...]) } catch { return .string(text) }
        return json.value(at: JSONText.root)
    }

    /// The same, but where a string is wanted the value as it stands, unless it is JSON's string.
    public func jsonValue(wantsString: Bool) -> Value {
        let read = jsonValue
        if case .string = read { return read }
        return wantsString ? .string(String(value)) : read
    }
}

/// Splits a text line into words, and writes values as words.
public enum TextWords {
    /// What is wrong with a line, and where the word begins in which it is.
    public struct Flaw: Error, Equatable {
        public enum Reason: Equatable, Sendable {
            /// The line cannot be split.
            case words(_ why: String)
            /// The object at its end cannot be read.
            case object(JSONError)
        }

        public let reason: Reason
        public let offset: Int
    }

    /// The words of a line. One that begins with `{` is an object of JSON, and goes on to the line's end.
    ///
    /// In a configuration, `#` before a word begins a comment, and an object of JSON may stand behind `key=` as it
    /// is, its quotes and blanks its own.
    public static func split(_ line: ArraySlice<UInt8>, isConfiguration: Bool = false) throws(Flaw)
        -> [TextWord]
    {
        let split: (words: [Word], rest: ArraySlice<UInt8>?)
        do throws(Words.Flaw) {
            split = try Words.split(line, isConfiguration: isConfiguration)
        } catch { throw Flaw(reason: .words(error.why), offset: error.offset) }
        let words = split.words.map { TextWord($0) }
        guard let rest = split.rest else { return words }
        let offset = rest.startIndex - line.startIndex
        do throws(JSONError) { return words + [try TextWord(object: rest, offset: offset)] } catch {
            throw Flaw(reason: .object(error), offset: offset)
        }
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
}
