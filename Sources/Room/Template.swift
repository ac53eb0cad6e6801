package import GameFlow
import JSONCoding
import RPC
import Support

/// A text with placeholders, such as `$session`. `$$` stands for a dollar sign. Templates are in the `map` lines of the
/// configuration (`InputTemplate`) and in its `on` lines (`OutputTemplate`).
package struct Template<Placeholder: TemplatePlaceholder>: Equatable {
    private enum Piece: Equatable {
        /// A text between placeholders, with `$` in place of `$$`.
        case text(String)
        case placeholder(Placeholder)
    }

    private var pieces: [Piece] = []

    /// The placeholders, in the order of the text.
    package var placeholders: [Placeholder] {
        pieces.compactMap { piece in
            if case .placeholder(let placeholder) = piece { placeholder } else { nil }
        }
    }

    /// Whether the template is a single placeholder.
    package var isPlaceholder: Bool { pieces.count == 1 && placeholders.count == 1 }

    /// Parses a template. Throws a sentence about the first unknown placeholder.
    package init(_ text: String) throws(TemplateError) {
        var scanner = TemplateScanner(text)
        var literal = ""
        while let character = scanner.next() {
            guard character == "$" else {
                literal.append(character)
                continue
            }
            if scanner.skip("$") {
                literal.append("$")
                continue
            }
            let placeholder = try Placeholder.read(&scanner)
            if !literal.isEmpty { pieces.append(.text(exchange(&literal, with: ""))) }
            pieces.append(.placeholder(placeholder))
        }
        if !literal.isEmpty { pieces.append(.text(literal)) }
    }

    /// The text with the placeholders replaced by the values that `valueOf` returns. If the template is a single placeholder,
    /// the result is the value of the placeholder, which need not be a text. Nil if a value is missing. If a value contains a text with
    /// a null character, which nothing accepts, the result is that value.
    package func value(_ valueOf: (Placeholder) -> Value?) -> Value? {
        if pieces.count == 1, case .placeholder(let placeholder) = pieces[0] {
            return valueOf(placeholder)
        }
        var refused: Value?
        let text = text { placeholder in
            let value = valueOf(placeholder)
            if let value, ArgumentConversion.hasNull(value) { refused = value }
            return value
        }
        return text.map { refused ?? .string($0) }
    }

    /// The text with the placeholders replaced by the values that `valueOf` returns. Nil if a value is missing, or
    /// contains a character for which `forbids` returns true.
    package func text(
        forbids: (Unicode.Scalar) -> Bool = { _ in false },
        _ valueOf: (Placeholder) -> Value?
    ) -> String? {
        text(valueOf) { $0.unicodeScalars.contains(where: forbids) ? nil : $0 }
    }

    /// The text with the placeholders replaced by the values that `valueOf` returns, each converted by `convert`. Nil if
    /// `valueOf` or `convert` returns nil.
    package func text(_ valueOf: (Placeholder) -> Value?, convert: (String) -> String?) -> String? {
        var text = ""
        for piece in pieces {
            switch piece {
            case .text(let literal): text += literal
            case .placeholder(let placeholder):
                guard let value = valueOf(placeholder),
                    let converted = convert(value.text ?? value.description)
                else { return nil }
                text += converted
            }
        }
        return text
    }
}

/// Templates of JSON texts.
extension Template {
    /// Whether the template is a JSON text if values replace the placeholders. A placeholder may be in a string, or take the
    /// place of a whole value.
    package var isJSON: Bool {
        json { _ in .string("") }.map { Value(json: $0.utf8) != nil } ?? false
    }

    /// The JSON text with the placeholders replaced by the values that `valueOf` returns. In a string, the characters that JSON
    /// reserves are escaped; elsewhere a value is written as JSON. So a value cannot end its string, or add members. Nil if a
    /// value is missing.
    package func json(_ valueOf: (Placeholder) -> Value?) -> String? {
        var text = ""
        // Whether the end of `text` is in a string, and directly after a backslash there.
        var (isInString, isEscaped) = (false, false)
        for piece in pieces {
            switch piece {
            case .text(let literal):
                text += literal
                for byte in literal.utf8 {
                    if isEscaped {
                        isEscaped = false
                    } else if byte == UInt8(ascii: "\"") {
                        isInString.toggle()
                    } else if isInString, byte == UInt8(ascii: "\\") {
                        isEscaped = true
                    }
                }
            case .placeholder(let placeholder):
                guard let value = valueOf(placeholder), !isEscaped else { return nil }
                text += isInString ? Self.escaped(value) : Self.json(value)
            }
        }
        return text
    }

    private static func json(_ value: Value) -> String {
        String(decoding: JSONWriter.bytes { $0.value(value) }, as: UTF8.self)
    }

    /// The value as a part of a JSON string, without the quotation marks.
    private static func escaped(_ value: Value) -> String {
        let quoted = json(.string(value.text ?? value.description))
        return String(decoding: quoted.utf8.dropFirst().dropLast(), as: UTF8.self)
    }
}

/// A placeholder of one kind of templates, such as the templates of inputs.
package protocol TemplatePlaceholder: Equatable {
    /// Reads a placeholder, whose dollar sign was read already. Throws a sentence if the placeholder is unknown.
    static func read(_ scanner: inout TemplateScanner) throws(TemplateError) -> Self
}

/// Reads the characters and names of a template from the left to the right.
package struct TemplateScanner {
    private var remaining: Substring

    package init(_ text: String) { remaining = text[...] }

    /// Reads one character; nil at the end.
    package mutating func next() -> Character? { remaining.popFirst() }

    /// Skips the character if it comes next, and returns whether it did.
    package mutating func skip(_ character: Character) -> Bool {
        guard remaining.first == character else { return false }
        remaining.removeFirst()
        return true
    }

    /// Reads the letters, digits and underscores that come next.
    mutating func scanName() -> String {
        let name = remaining.prefix(while: Self.isNameCharacter)
        remaining = remaining.dropFirst(name.count)
        return String(name)
    }

    /// Reads a full stop and the name after it, and returns the name. If they do not come next, reads nothing and returns nil.
    mutating func scanMember() -> String? {
        guard remaining.first == ".", let nameStart = remaining.dropFirst().first,
            Self.isNameCharacter(nameStart)
        else { return nil }
        remaining.removeFirst()
        return scanName()
    }

    /// Skips a full stop and this name if they come next, and returns whether they did.
    mutating func skipMember(_ name: String) -> Bool {
        var ahead = self
        guard ahead.scanMember() == name else { return false }
        self = ahead
        return true
    }

    private static func isNameCharacter(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || character == "_")
    }
}

/// The reason why a text is not a template.
package struct TemplateError: DescribedError, Equatable {
    package let why: String

    /// The error for the placeholder `$name`. The name is empty if no letter, digit or underscore follows the dollar sign.
    package static func unknown(_ name: String) -> TemplateError {
        TemplateError(why: "$\(name): unknown; a dollar sign is written $$")
    }
}
