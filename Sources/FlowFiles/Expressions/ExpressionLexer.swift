internal import GameFlow
internal import Support

/// Splits an expression into tokens.
struct ExpressionLexer {
    private let scalars: [Unicode.Scalar]
    private var place = 0

    struct Token: Equatable {
        enum Kind: Equatable {
            case integer(Int)
            case duration(Int)
            case text(String)
            case word(String)
            /// An operator, a parenthesis, a comma, a dot or `..`.
            case symbol(String)
            case end
        }

        let kind: Kind
        let offset: Int
    }

    static func tokens(_ text: String) throws(ExpressionError) -> [Token] {
        var lexer = ExpressionLexer(text)
        var tokens: [Token] = []
        repeat { tokens.append(try lexer.next()) } while tokens.last?.kind != .end
        return tokens
    }

    private init(_ text: String) { scalars = Array(text.unicodeScalars) }

    private var current: Unicode.Scalar? { place < scalars.count ? scalars[place] : nil }

    private mutating func next() throws(ExpressionError) -> Token {
        while let blank = current, blank == " " || blank == "\n" { place += 1 }
        let start = place
        guard let first = current else { return Token(kind: .end, offset: start) }
        switch first {
        case "0"..."9": return Token(kind: try number(), offset: start)
        case "'": return Token(kind: .text(try text()), offset: start)
        case "\"": throw ExpressionError(offset: start, why: "texts are in single quotes here: 'x'")
        case _ where Self.isWordCharacter(first):
            return Token(kind: .word(take(while: Self.isWordCharacter)), offset: start)
        default: return Token(kind: try symbol(), offset: start)
        }
    }

    private mutating func number() throws(ExpressionError) -> Token.Kind {
        let start = place
        let text = take { Self.isWordCharacter($0) }
        if let number = Literal.integer(text) { return .integer(number) }
        if let duration = Literal.duration(text) { return .duration(duration) }
        throw ExpressionError(
            offset: start, why: "\(text) is neither an integer nor a duration such as 90s or 1h30m")
    }

    /// Reads a text in single quotes; two of them inside it mean one.
    private mutating func text() throws(ExpressionError) -> String {
        let start = place
        var text = String.UnicodeScalarView()
        place += 1
        while let scalar = current {
            place += 1
            if scalar != "'" {
                text.append(scalar)
            } else if current == "'" {
                text.append(scalar)
                place += 1
            } else {
                return String(text)
            }
        }
        throw ExpressionError(offset: start, why: "the text that begins here has no closing quote")
    }

    private mutating func symbol() throws(ExpressionError) -> Token.Kind {
        let (first, second) = (scalars[place], place + 1 < scalars.count ? scalars[place + 1] : " ")
        let symbol: String? =
            switch (first, second) {
            case ("=", "="): "=="
            case ("!", "="): "!="
            case ("<", "="): "<="
            case (">", "="): ">="
            case (".", "."): ".."
            case ("<", _), (">", _), ("+", _), ("-", _), ("*", _), ("/", _), ("%", _), ("(", _),
                (")", _), (",", _), (".", _):
                String(first)
            default: nil
            }
        if let symbol {
            place += symbol.utf8.count
            return .symbol(symbol)
        }
        let hints: [Unicode.Scalar: String] = [
            "=": "compare with ==", "&": "write and", "|": "write or", "!": "write not",
        ]
        let hint = hints[scalars[place]].map { "; \($0)" } ?? ""
        throw ExpressionError(
            offset: place,
            why: "\(String(scalars[place]).debugDescription) does not belong here\(hint)")
    }

    /// Reads a word of characters that belong to it, all of them ASCII.
    private mutating func take(while belongs: (Unicode.Scalar) -> Bool) -> String {
        let start = place
        while let scalar = current, belongs(scalar) { place += 1 }
        // The characters of a word are ASCII.
        let bytes = scalars[start..<place].lazy.map { UInt8(truncatingIfNeeded: $0.value) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isWordCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_": true
        default: false
        }
    }
}
