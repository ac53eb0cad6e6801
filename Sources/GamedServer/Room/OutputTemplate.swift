import GameFlow
import Sessions

/// A text with placeholders for parts of a change: `$args.X`, `$data.X`, `$session`, `$state`, `$effect`. `$$` is a
/// dollar sign.
struct OutputTemplate: Equatable {
    private enum Piece: Equatable {
        case text(String)
        case args(String)
        case data(String)
        case session, state, effect
    }

    private var pieces: [Piece] = []

    /// Throws a sentence about a placeholder that is unknown.
    init(_ text: String) throws(InputTemplateError) {
        var rest = text[...]
        while let character = rest.popFirst() {
            guard character == "$" else {
                add(character)
                continue
            }
            if rest.first == "$" {
                rest.removeFirst()
                add("$")
            } else {
                pieces.append(try Self.placeholder(&rest))
            }
        }
    }

    private mutating func add(_ character: Character) {
        if case .text(let text)? = pieces.last {
            pieces.removeLast()
            pieces.append(.text(text + String(character)))
        } else {
            pieces.append(.text(String(character)))
        }
    }

    private static func word(_ rest: inout Substring) -> String {
        let word = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        rest = rest.dropFirst(word.count)
        return String(word)
    }

    private static func placeholder(_ rest: inout Substring) throws(InputTemplateError) -> Piece {
        let name = word(&rest)
        switch name {
        case "session": return .session
        case "state": return .state
        case "effect": return .effect
        case "args", "data":
            guard rest.popFirst() == ".", case let member = word(&rest), !member.isEmpty else {
                throw InputTemplateError(why: "expected $\(name).NAME")
            }
            return name == "args" ? .args(member) : .data(member)
        default:
            throw InputTemplateError(why: "$\(name): unknown; a dollar sign is written $$")
        }
    }

    /// The value for a change and one of its effects; nil if a part is missing. A lone placeholder keeps its type.
    func value(_ change: Change, _ effect: EffectRecord?) -> Value? {
        if pieces.count == 1 { return Self.value(pieces[0], change, effect) }
        return text(change, effect, forbids: { _ in false }).map { .string($0) }
    }

    /// The text for a change and one of its effects; nil if a part is missing, or contains a forbidden character.
    func text(
        _ change: Change, _ effect: EffectRecord?, forbids: (Unicode.Scalar) -> Bool
    ) -> String? {
        var text = ""
        for piece in pieces {
            guard let value = Self.value(piece, change, effect) else { return nil }
            let part = value.text ?? value.description
            if case .text = piece {
            } else if part.unicodeScalars.contains(where: forbids) {
                return nil
            }
            text += part
        }
        return text
    }

    private static func value(_ piece: Piece, _ change: Change, _ effect: EffectRecord?) -> Value? {
        switch piece {
        case .text(let text): .string(text)
        case .args(let name): effect?.arguments[name]
        case .data(let name): change.step.to?.data[name]
        case .session: .string(change.session.text)
        case .state: change.step.to.map { .string($0.state) }
        case .effect: effect.map { .string($0.name) }
        }
    }
}
