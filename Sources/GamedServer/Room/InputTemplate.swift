import GameFlow
import Inputs

/// A text with placeholders for parts of an input: `$payload`, `$topicN`, `$json.a.b`, `$N`. `$$` is a dollar sign.
struct InputTemplate: Equatable {
    enum Placeholder: Equatable {
        case payload
        /// A level of the topic, from 1.
        case topic(Int)
        case json([String])
        /// What a `*` of the line matched, or an argument of the OSC message, from 1.
        case number(Int)
    }

    private enum Piece: Equatable {
        case text(String)
        case value(Placeholder)
    }

    private var pieces: [Piece] = []

    var placeholders: [Placeholder] {
        pieces.compactMap { if case .value(let value) = $0 { value } else { nil } }
    }

    /// Throws a sentence about a placeholder that is unknown.
    init(_ text: String) throws(InputTemplateError) {
        var rest = text[...]
        var literal = ""
        while let character = rest.popFirst() {
            guard character == "$" else {
                literal.append(character)
                continue
            }
            if rest.first == "$" {
                rest.removeFirst()
                literal.append("$")
                continue
            }
            let placeholder = try Self.placeholder(&rest)
            if !literal.isEmpty { pieces.append(.text(exchange(&literal, with: ""))) }
            pieces.append(.value(placeholder))
        }
        if !literal.isEmpty { pieces.append(.text(literal)) }
    }

    private static func isNameCharacter(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || character == "_")
    }

    private static func placeholder(_ rest: inout Substring) throws(InputTemplateError)
        -> Placeholder
    {
        let word = rest.prefix(while: isNameCharacter)
        rest = rest.dropFirst(word.count)
        if word == "payload" { return .payload }
        if word == "json" {
            var path: [String] = []
            while rest.first == ".", let next = rest.dropFirst().first, isNameCharacter(next) {
                rest.removeFirst()
                let name = rest.prefix(while: isNameCharacter)
                rest = rest.dropFirst(name.count)
                path.append(String(name))
            }
            if path.isEmpty { throw InputTemplateError(why: "expected $json.NAME") }
            return .json(path)
        }
        if word.hasPrefix("topic"), let level = Int(word.dropFirst(5)), level > 0 {
            return .topic(level)
        }
        if let number = Int(word), number > 0 { return .number(number) }
        throw InputTemplateError(why: "$\(word): unknown; a dollar sign is written $$")
    }

    /// The value with the parts of an input; nil if the input lacks one. A lone placeholder keeps its type.
    func value(_ part: (Placeholder) -> Value?) -> Value? {
        if pieces.count == 1, case .value(let placeholder) = pieces[0] { return part(placeholder) }
        var text = ""
        for piece in pieces {
            switch piece {
            case .text(let literal): text += literal
            case .value(let placeholder):
                guard let value = part(placeholder) else { return nil }
                text += value.text ?? value.description
            }
        }
        return .string(text)
    }
}

/// The reason why a text is no template.
struct InputTemplateError: Error, Equatable {
    let why: String
}
