import Inputs
import Support

/// The press of a key, and the path or name of its device.
struct KeyInput: RoomInput {
    let code: UInt16
    let peer: String

    var shownText: String { KeyNames.name(of: code) }
}

/// The condition of a `map` line about the press of a key.
struct KeyPattern: InputPattern {
    static let form = "key=KEY"
    static let keys = ["key"]

    private let code: UInt16

    init(_ line: InputMapDirective) throws(ConfigurationFile.ConfigurationError) {
        let name = try line.text("key")
        guard let code = KeyNames.code(of: name) else {
            let hint = DidYouMean.question(name, KeyNames.all).map { "; \($0)" } ?? ""
            throw line.mistake("key", "no key \(name)\(hint)")
        }
        self.code = code
    }

    var text: String { "key=\(KeyNames.name(of: code))" }

    func mayHaveValue(for placeholder: InputPlaceholder) -> Bool { false }

    func values(of input: KeyInput) -> InputValues? { input.code == code ? { _ in nil } : nil }
}
