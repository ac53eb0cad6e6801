import GameFlow
package import Inputs
package import Parts
import Support

/// The press of a key, or a text that was typed, and the path or name of the device.
package struct KeyInput: RoomInput {
    package let content: EvdevConnection.Input
    package let peer: String

    package var shownText: String {
        switch content {
        case .key(let code): KeyNames.name(of: code)
        case .text(let text): text
        }
    }
}

/// The condition of a `map` line about the press of a key, or about a text that was typed.
package struct KeyPattern: InputPattern {
    package static let form = "key=KEY|text=PATTERN"
    package static let keys = ["key", "text"]

    private enum Condition: Equatable {
        case key(UInt16)
        case text(LinePattern)
    }

    private let condition: Condition

    package init(_ line: MapWords) throws(ConfigurationError) {
        if let pattern = line.optionalText("text") {
            guard line["key"] == nil else {
                throw line.mistake("key", "cannot be combined with text")
            }
            condition = .text(LinePattern(pattern))
        } else {
            guard let name = line.optionalText("key") else {
                throw line.file.mistake(line.line, nil, "expected key=KEY or text=PATTERN")
            }
            condition = .key(try KeyNames.code(of: name) { line.mistake($0, $1) })
        }
    }

    package var text: String {
        switch condition {
        case .key(let code): "key=\(KeyNames.name(of: code))"
        case .text(let pattern): "text=\(pattern.text)"
        }
    }

    var isAboutText: Bool { if case .text = condition { true } else { false } }

    package func mayHaveValue(for placeholder: InputPlaceholder) -> Bool {
        guard case .number(let number) = placeholder, case .text(let pattern) = condition else {
            return false
        }
        return number <= pattern.captureCount
    }

    /// The values are the parts of the text that each `*` of the pattern matched, in order.
    package func values(of input: KeyInput) -> InputValues? {
        switch (condition, input.content) {
        case (.key(let code), .key(let pressed)): return code == pressed ? { _ in nil } : nil
        case (.text(let pattern), .text(let typed)):
            guard let captures = pattern.match(Array(typed.utf8)) else { return nil }
            return pattern.values(captures)
        default: return nil
        }
    }
}

extension LinePattern {
    /// The values of placeholders: what each `*` of the pattern has captured.
    func values(_ captures: [String]) -> InputValues {
        { part in
            guard case .number(let position) = part, position <= captures.count else { return nil }
            return .string(captures[position - 1])
        }
    }
}

extension KeyNames {
    /// The code of the key that a word names: the name is the value of the word's key `key` or `end`.
    static func code(
        of name: String, _ mistake: (_ key: String, _ why: String) -> ConfigurationError,
        at key: String = "key"
    ) throws(ConfigurationError) -> UInt16 {
        guard let code = code(of: name) else {
            let hint = DidYouMean.question(name, all).map { "; \($0)" } ?? ""
            throw mistake(key, "no key \(name)\(hint)")
        }
        return code
    }
}
