import Parts
import Support

/// Hides the secrets that a value of the configuration may contain. Files with secrets are named by their paths, and are not read.
enum SecretText {
    /// What stands for a hidden part.
    static let mark = "…"

    /// The keys of an `on` line whose values are what an output sends, such as a header with a key.
    private static let contentKeys: Set<String> = [
        "header", "body", "payload", "line", "args", "channels",
    ]
    /// The bytes that end the host of a URL, and those that end its path.
    private static let (hostEnds, pathEnds) = (Set("/?#".utf8), Set("?#".utf8))

    /// A word of an `on` line: what an output sends is hidden, and of the address of its receiver all but the host.
    static func maskedOutput(_ word: String) -> String {
        let key = word.prefix { $0 != "=" }
        let isContent = key.endIndex < word.endIndex && contentKeys.contains(String(key))
        return isContent ? "\(key)=\(mark)" : masked(word, hidesPath: true)
    }

    /// The text, with the password and the query of a URL hidden. If `hidesPath` is true, its path is hidden, too: the address of
    /// a receiver of outputs may be a secret as a whole.
    static func masked(_ text: String, hidesPath: Bool) -> String {
        guard let scheme = text.firstRange(of: "://") else { return text }
        let rest = text[scheme.upperBound...]
        let end = rest.utf8.firstIndex(where: hostEnds.contains) ?? rest.endIndex
        return String(text[..<scheme.upperBound]) + authority(rest[..<end])
            + after(rest[end...], hidesPath)
    }

    /// The host with its port, and the user without the password.
    private static func authority(_ text: Substring) -> String {
        guard let at = text.lastIndex(of: "@") else { return String(text) }
        let user = text[..<at]
        guard let colon = user.firstIndex(of: ":") else { return String(text) }
        return "\(user[..<colon]):\(mark)\(text[at...])"
    }

    /// The path and the query.
    private static func after(_ text: Substring, _ hidesPath: Bool) -> String {
        if hidesPath { return text.utf8.count > 1 ? "/\(mark)" : String(text) }
        guard let query = text.utf8.firstIndex(where: pathEnds.contains) else {
            return String(text)
        }
        return "\(text[..<query])?\(mark)"
    }
}
