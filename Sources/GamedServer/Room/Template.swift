import GameFlow
import Support

/// A text with placeholders, which begin with a dollar sign; `$$` is a dollar sign.
struct Template<Placeholder: TemplatePlaceholder>: Equatable {
    private enum Piece: Equatable {
        case text(String)
        case value(Placeholder)
    }

    private var pieces: [Piece] = []

    var placeholders: [Placeholder] {
        pieces.compactMap { if case .value(let value) = $0 { value } else { nil } }
    }

    /// Throws a sentence about a placeholder that is unknown.
    init(_ text: String) throws(TemplateError) {
        var words = TemplateWords(text)
        var literal = ""
        while let character = words.next() {
            guard character == "$" else {
                literal.append(character)
                continue
            }
            if words.take("$") {
                literal.append("$")
                continue
            }
            let placeholder = try Placeholder.read(&words)
            if !literal.isEmpty { pieces.append(.text(exchange(&literal, with: ""))) }
            pieces.append(.value(placeholder))
        }
        if !literal.isEmpty { pieces.append(.text(literal)) }
    }

    /// The value with the parts that `part` returns; nil if one is missing. A lone placeholder keeps its type.
    func value(_ part: (Placeholder) -> Value?) -> Value? {
        if pieces.count == 1, case .value(let placeholder) = pieces[0] { return part(placeholder) }
        return text(part).map { .string($0) }
    }

    /// The text with the parts that `part` returns; nil if one is missing, or contains a forbidden character.
    func text(
        forbids: (Unicode.Scalar) -> Bool = { _ in false }, _ part: (Placeholder) -> Value?
    ) -> String? {
        text(part) { $0.unicodeScalars.contains(where: forbids) ? nil : $0 }
    }

    /// The text with the parts that `part` returns, each as `write` writes it; nil if one of these returns nil.
    func text(_ part: (Placeholder) -> Value?, write: (String) -> String?) -> String? {
        var text = ""
        for piece in pieces {
            switch piece {
            case .text(let literal): text += literal
            case .value(let placeholder):
                guard let value = part(placeholder),
                    let written = write(value.text ?? value.description)
                else { return nil }
                text += written
            }
        }
        return text
    }
}

/// The values to which a template can refer.
protocol TemplatePlaceholder: Equatable {
    /// Reads a placeholder after its dollar sign. Throws a sentence if it is unknown.
    static func read(_ words: inout TemplateWords) throws(TemplateError) -> Self
}

/// Reads the characters and the names of a template.
struct TemplateWords {
    private var rest: Substring

    init(_ text: String) { rest = text[...] }

    mutating func next() -> Character? { rest.popFirst() }

    /// Skips a character if it comes next.
    mutating func take(_ character: Character) -> Bool {
        guard rest.first == character else { return false }
        rest.removeFirst()
        return true
    }

    /// The letters, digits and underscores that come next.
    mutating func name() -> String {
        let name = rest.prefix(while: Self.isNameCharacter)
        rest = rest.dropFirst(name.count)
        return String(name)
    }

    /// The name after a full stop; nil if there is none.
    mutating func member() -> String? {
        guard rest.first == ".", let first = rest.dropFirst().first, Self.isNameCharacter(first)
        else { return nil }
        rest.removeFirst()
        return name()
    }

    private static func isNameCharacter(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || character == "_")
    }
}

/// The reason why a text is not a template.
struct TemplateError: DescribedError, Equatable {
    let why: String

    static func unknown(_ name: String) -> TemplateError {
        TemplateError(why: "$\(name): unknown; a dollar sign is written $$")
    }
}
