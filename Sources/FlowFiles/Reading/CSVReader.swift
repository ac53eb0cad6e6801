internal import Support

/// Reads the text of a table file: comma-separated values as in RFC 4180. A field in quotes may contain commas, line ends and
/// doubled quotes. Lines end with a line feed or with a carriage return and a line feed. Empty lines are skipped.
struct CSVReader {
    /// A field with the position of its first character.
    struct TableField {
        let text: String
        let isQuoted: Bool
        let position: FilePosition
    }

    /// A mistake in the text.
    struct SyntaxError: Error {
        let position: FilePosition
        let why: String
    }

    private let scalars: [Unicode.Scalar]
    /// The index of the next character.
    private var index = 0
    /// The position of the next character.
    private var position = FilePosition.start

    /// Returns the fields of each line that is not empty. Throws the first mistake.
    static func read(_ bytes: [UInt8]) throws(SyntaxError) -> [[TableField]] {
        var reader = CSVReader(scalars: Array(try text(bytes).unicodeScalars))
        var records: [[TableField]] = []
        while reader.current != nil {
            if let record = try reader.record() { records.append(record) }
        }
        return records
    }

    private init(scalars: [Unicode.Scalar]) { self.scalars = scalars }

    /// Returns the text of a file, without its byte order mark.
    private static func text(_ bytes: [UInt8]) throws(SyntaxError) -> String {
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
            || bytes.contains(0)
        {
            throw SyntaxError(
                position: .start, why: "the file is UTF-16 or has zero bytes; save it as UTF-8")
        }
        let bytes = Array(bytes.withoutByteOrderMark)
        do { return String(copying: try UTF8Span(validating: bytes.span)) } catch {
            let before = String(decoding: bytes[..<error.byteOffsets.lowerBound], as: UTF8.self)
            var reader = CSVReader(scalars: Array(before.unicodeScalars))
            while reader.current != nil { reader.advance() }
            throw SyntaxError(position: reader.position, why: "not UTF-8; save the file as UTF-8")
        }
    }

    private var current: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

    private mutating func advance() {
        position =
            scalars[index] == "\n"
            ? FilePosition(line: position.line + 1, column: 1) : position.advanced(by: 1)
        index += 1
    }

    /// Moves past the end of a line, if it is here. Throws for a carriage return alone.
    private mutating func acceptLineEnd() throws(SyntaxError) -> Bool {
        if current == "\r" {
            guard index + 1 < scalars.count, scalars[index + 1] == "\n" else {
                throw SyntaxError(
                    position: position, why: "a carriage return without a line feed after it")
            }
            advance()
        }
        guard current == "\n" else { return false }
        advance()
        return true
    }

    /// Reads a line, which may contain line ends in quotes; nil for an empty one.
    private mutating func record() throws(SyntaxError) -> [TableField]? {
        if try acceptLineEnd() { return nil }
        var fields: [TableField] = []
        while true {
            fields.append(current == "\"" ? try quotedField() : try plainField())
            if current == "," {
                advance()
            } else if try acceptLineEnd() || current == nil {
                return fields
            } else {
                throw SyntaxError(
                    position: position, why: "expected a comma or the end of the line after a quote"
                )
            }
        }
    }

    /// Reads a field without quotes, up to the next comma or the end of the line.
    private mutating func plainField() throws(SyntaxError) -> TableField {
        let start = position
        var text = String.UnicodeScalarView()
        while let scalar = current, !",\r\n".unicodeScalars.contains(scalar) {
            guard scalar != "\"" else {
                throw SyntaxError(
                    position: position,
                    why:
                        "a quote in a field without quotes; put the field in quotes and double this one"
                )
            }
            text.append(scalar)
            advance()
        }
        return TableField(text: String(text), isQuoted: false, position: start)
    }

    /// Reads a field in quotes.
    private mutating func quotedField() throws(SyntaxError) -> TableField {
        let start = position
        var text = String.UnicodeScalarView()
        advance()
        while let scalar = current {
            advance()
            if scalar != "\"" {
                text.append(scalar)
            } else if current == "\"" {
                text.append(scalar)
                advance()
            } else {
                return TableField(text: String(text), isQuoted: true, position: start)
            }
        }
        throw SyntaxError(
            position: start, why: "the field that begins here has no closing quote")
    }
}
