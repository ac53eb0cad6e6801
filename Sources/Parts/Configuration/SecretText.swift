import Support

/// Hides the secrets that a value of the configuration may contain. Files with secrets are named by their paths, and are not read.
package enum SecretText {
    /// What stands for a hidden part.
    package static let mark = "…"

    /// The keys of an `on` line whose values are what an output sends, such as a header with a key.
    private static let contentKeys: Set<String> = [
        "header", "body", "payload", "line", "args", "channels",
    ]
    /// The bytes that end the host of a URL, and those that end its path.
    private static let (hostEnds, pathEnds) = (Set("/?#".utf8), Set("?#".utf8))

    /// A word of an `on` line: what an output sends is hidden, and of the address of its receiver all but the host.
    package static func maskedOutput(_ word: String) -> String {
        maskedOutput(word, hiding: contentKeys)
    }

    /// A word of an `on` line in the list of outputs. What an output sends is shown, because it tells lines apart; headers are not,
    /// because one of them may be a key.
    package static func listedOutput(_ word: String) -> String {
        maskedOutput(word, hiding: ["header"])
    }

    private static func maskedOutput(_ word: String, hiding keys: Set<String>) -> String {
        let key = word.prefix { $0 != "=" }
        guard key.endIndex < word.endIndex else { return masked(word, hidesPath: true) }
        if keys.contains(String(key)) { return "\(key)=\(mark)" }
        return contentKeys.contains(String(key)) ? word : masked(word, hidesPath: true)
    }

    /// A word of the configuration as a mistake about it may repeat it: without the login and the query of a URL, because mistakes
    /// are logged. The word may be no URL that can be read, so what is doubtful is hidden, too.
    package static func inMistake(_ word: String) -> String {
        guard let scheme = word.firstRange(of: "://") else {
            guard let at = word.lastIndex(of: "@"), word[..<at].contains(":") else { return word }
            return mark + word[at...]
        }
        let (start, rest) = (word[..<scheme.upperBound], word[scheme.upperBound...])
        let end = rest.utf8.firstIndex(where: hostEnds.contains) ?? rest.endIndex
        // The end of the host may be within a password.
        if rest[end...].contains("@") { return start + mark }
        let host = rest[..<end].lastIndex(of: "@").map { "\(mark)\(rest[$0..<end])" }
        return start + (host ?? String(rest[..<end])) + after(rest[end...], false)
    }

    /// The text, with the password and the query of a URL hidden. If `hidesPath` is true, its path is hidden, too: the address of
    /// a receiver of outputs may be a secret as a whole.
    package static func masked(_ text: String, hidesPath: Bool) -> String {
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
