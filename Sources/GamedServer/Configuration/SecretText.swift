import Parts
import Support

/// Hides the secrets that a value of the configuration may contain. Files with secrets are named by their paths, and are not read.
enum SecretText {
    /// What stands for a hidden part.
    static let mark = "…"

    /// The text, with the password and the query of a URL hidden. If `hidesPath` is true, its path is hidden, too: the address of
    /// a receiver of outputs may be a secret as a whole.
    static func masked(_ text: String, hidesPath: Bool) -> String {
        guard let scheme = text.firstRange(of: "://") else { return text }
        let rest = text[scheme.upperBound...]
        let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
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
        if hidesPath { return text.count > 1 ? "/\(mark)" : String(text) }
        guard let query = text.firstIndex(where: { "?#".contains($0) }) else { return String(text) }
        return "\(text[...query])\(mark)"
    }
}
