import JSONCoding
package import Parts
import Sessions

/// Reads the lines `mqtt`, `osc`, `serial` and so on of the configuration. A value of this type holds the words of one line
/// while the endpoint of the line's kind reads them. The methods throw the mistake of the line, with its place in the file.
package struct ConnectionDirective {
    /// The maximum number of these lines in a configuration.
    package static let limit = 64

    private let kind: any ConnectionEndpoint.Type
    private let line: ConfigurationFile.Line
    package let file: ConfigurationFile
    /// The words `KEY=VALUE` of the line, by their keys. `word` has the column for messages.
    private var keyedWords: [String: (word: TextWord, value: String)] = [:]
    /// The other words of the line: the connection's name, and then the address of a broker or the path of a device.
    private let bareWords: [TextWord]

    /// Reads a line. `others` are the lines before it. Throws if one of them defines a connection with the same name.
    package static func read(
        _ kind: any ConnectionEndpoint.Type, _ line: ConfigurationFile.Line,
        in file: ConfigurationFile, others: [ConnectionLine]
    ) throws(ConfigurationError) -> ConnectionLine {
        let connection = try ConnectionDirective(kind, line, file).connection()
        guard !others.contains(where: { $0.name == connection.name }) else {
            let first = file.lines.first {
                RoomKinds.connection($0.name.text) != nil
                    && $0.words.first?.text == line.words.first?.text
            }
            throw file.repetition(
                line, line.words.first, of: "a connection \(connection.name)", first: first)
        }
        guard others.count < limit else {
            throw file.mistake(line, nil, "at most \(limit) connections")
        }
        return connection
    }

    /// Divides the words of a line into `keyedWords` and `bareWords`. Throws if a key is unknown, given twice or empty.
    private init(
        _ kind: any ConnectionEndpoint.Type, _ line: ConfigurationFile.Line,
        _ file: ConfigurationFile
    ) throws(ConfigurationError) {
        (self.kind, self.line, self.file) = (kind, line, file)
        bareWords = line.words.filter { $0.pair == nil }
        for word in line.words {
            guard let (key, value) = word.pair else { continue }
            guard kind.keys.contains(key) || key == Self.quietKey else {
                throw file.mistake(line, word, "\(key): unknown; \(expected)")
            }
            guard keyedWords[key] == nil else {
                throw file.mistake(line, word, "\(key) is given twice")
            }
            guard !value.isEmpty else { throw file.mistake(line, word, "\(key): empty") }
            keyedWords[key] = (word, value)
        }
    }

    /// The connection that the line defines.
    private func connection() throws(ConfigurationError) -> ConnectionLine {
        guard let name = bareWords.first else { throw incomplete }
        guard SessionName(name.text) != nil else {
            throw file.mistake(line, name, "\(name.text): expected 1 to 64 of A-Z a-z 0-9 . _ -")
        }
        guard bareWords.count == (kind.hasLocation(self) ? 2 : 1) else {
            throw file.mistake(line, bareWords.count > 2 ? bareWords[2] : name, expected)
        }
        let quiet = try value(Self.quietKey).map { text throws(ConfigurationError) in
            try QuietTime.read(text) { mistake(Self.quietKey, $0) }
        }
        return ConnectionLine(name: name.text, endpoint: try kind.init(self), quiet: quiet)
    }

    /// The key of all kinds.
    private static let quietKey = "quiet"
    /// The syntax of the words that all kinds have.
    package static let commonForm = "[\(quietKey)=D]"

    // MARK: for the endpoints

    /// The part of a message that gives the syntax of the line.
    private var expected: String { "expected \(kind.word) \(kind.form) \(Self.commonForm)" }

    /// The error for a line that lacks a word.
    package var incomplete: ConfigurationError { file.mistake(line, nil, expected) }

    /// The connection's name.
    package var name: String { bareWords[0].text }

    /// The value of a key; nil if the line does not have it.
    package func value(_ key: String) -> String? { keyedWords[key]?.value }

    /// The error about the value of a key.
    package func mistake(_ key: String, _ why: String) -> ConfigurationError {
        file.mistake(line, keyedWords[key]?.word, "\(key): \(why)")
    }

    /// The word after the name. Only for a kind with a location.
    package var location: String { bareWords[1].text }

    /// The error about the word after the name.
    func locationMistake(_ why: String) -> ConfigurationError {
        file.mistake(line, bareWords[1], "\(location): \(why)")
    }

    /// The word after the name as the path of a device file. A name without a folder is refused: it is hardly a file beside the
    /// configuration.
    func devicePath() throws(ConfigurationError) -> String {
        guard location.utf8.contains(UInt8(ascii: "/")) else {
            throw locationMistake("expected the path of a device")
        }
        return file.absolutePath(location)
    }
}
