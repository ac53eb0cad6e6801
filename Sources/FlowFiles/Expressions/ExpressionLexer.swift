internal import GameFlow
internal import Support

/// Splits the text of an expression into tokens, for the `ExpressionParser`.
struct ExpressionLexer {
    private let scalars: [Unicode.Scalar]
    /// The index of the next character in `scalars`.
    private var index = 0

    struct Token: Equatable {
        enum Kind: Equatable {
            case integer(Int)
            /// A duration in milliseconds.
            case duration(Int)
            /// A text in single quotes, without the quotes.
            case text(String)
            /// A name, or a word of the language, such as `and`.
            case word(String)
            /// An operator, a parenthesis, a comma, a dot or `..`.
            case symbol(String)
            /// After the last character of the expression.
            case end
        }

        let kind: Kind
        /// The number of characters before the token.
        let offset: Int
    }

    /// Returns the tokens of a text. The last one has the kind `end`.
    static func tokens(_ text: String) throws(ExpressionError) -> [Token] {
        var lexer = ExpressionLexer(text)
        var tokens: [Token] = []
        repeat { tokens.append(try lexer.next()) } while tokens.last?.kind != .end
        return tokens
    }

    private init(_ text: String) { scalars = Array(text.unicodeScalars) }

    private var current: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

    /// Reads the next token.
    private mutating func next() throws(ExpressionError) -> Token {
        while let blank = current, blank == " " || blank == "\n" { index += 1 }
        let start = index
        guard let first = current else { return Token(kind: .end, offset: start) }
        switch first {
        case "0"..."9": return Token(kind: try number(), offset: start)
        case "'": return Token(kind: .text(try text()), offset: start)
        case "\"": throw ExpressionError(offset: start, why: "texts are in single quotes here: 'x'")
        case _ where Self.isWordCharacter(first):
            return Token(kind: .word(readWord()), offset: start)
        default: return Token(kind: try symbol(), offset: start)
        }
    }

    /// Reads an integer or a duration.
    private mutating func number() throws(ExpressionError) -> Token.Kind {
        let start = index
        let text = readWord()
        if let number = Literal.integer(text) { return .integer(number) }
        if let duration = Literal.duration(text) { return .duration(duration) }
        throw ExpressionError(
            offset: start,
            why: "\(text) is neither an integer nor \(DurationText.expectation(insteadOf: text))")
    }

    /// Reads a text in single quotes. Two quotes inside the text stand for one quote.
    private mutating func text() throws(ExpressionError) -> String {
        let start = index
        var text = String.UnicodeScalarView()
        index += 1
        while let scalar = current {
            index += 1
            if scalar != "'" {
                text.append(scalar)
            } else if current == "'" {
                text.append(scalar)
                index += 1
            } else {
                return String(text)
            }
        }
        throw ExpressionError(offset: start, why: "the text that begins here has no closing quote")
    }

    /// Reads an operator or a punctuation mark, of two characters if possible.
    private mutating func symbol() throws(ExpressionError) -> Token.Kind {
        let (first, second) = (scalars[index], index + 1 < scalars.count ? scalars[index + 1] : " ")
        let symbol: String? =
            switch (first, second) {
            case ("=", "="): "=="
            case ("!", "="): "!="
            case ("<", "="): "<="
            case (">", "="): ">="
            case (".", "."): ".."
            case ("<", _), (">", _), ("+", _), ("-", _), ("*", _), ("/", _), ("%", _), ("(", _),
                (")", _), ("[", _), ("]", _), (",", _), (".", _):
                String(first)
            default: nil
            }
        if let symbol {
            index += symbol.utf8.count
            return .symbol(symbol)
        }
        let hints: [Unicode.Scalar: String] = [
            "=": "compare with ==", "&": "write and", "|": "write or", "!": "write not",
        ]
        let hint = hints[scalars[index]].map { "; \($0)" } ?? ""
        throw ExpressionError(
            offset: index,
            why: "\(String(scalars[index]).debugDescription) does not belong here\(hint)")
    }

    /// Reads characters as long as they are characters of a word.
    private mutating func readWord() -> String {
        let start = index
        while let scalar = current, Self.isWordCharacter(scalar) { index += 1 }
        // The characters of a word are ASCII.
        let bytes = scalars[start..<index].lazy.map { UInt8(truncatingIfNeeded: $0.value) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isWordCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_": true
        default: false
        }
    }
}
