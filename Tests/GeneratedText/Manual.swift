public import Shell

/// Writes a manual page's parts in mdoc(7).
public enum Manual {
    /// The synopsis of the options, a line each.
    public static func synopsis(_ options: [LongOption]) -> String {
        options.map { ".Op Fl \(flag($0))" }.joined(separator: "\n")
    }

    /// The items of a list of options.
    public static func items(_ options: [LongOption]) -> String {
        options.flatMap { option in
            let defaultText = option.defaultValue.map { " Default: \($0)." } ?? ""
            return [".It Fl \(flag(option))"] + lines(option.sentence)
                + lines(option.details + defaultText)
        }.joined(separator: "\n")
    }

    private static func flag(_ option: LongOption) -> String {
        escaped("-\(option.name)") + (option.value.map { " \(value($0))" } ?? "")
    }

    /// A value such as `hci:unix:PATH|sim:FILE`: words in capitals are placeholders, other text is literal.
    static func value(_ text: String) -> String {
        // A macro stays in effect after `Ns` and `|`, so it is written only where the macro changes.
        var currentMacro = ""
        return text.split(separator: "|").map { alternative in
            pieces(alternative).map { piece in
                let macro = piece.isPlaceholder ? "Ar " : "Cm "
                let name = piece.isPlaceholder ? piece.text.lowercased() : piece.text
                // `D` is the placeholder for a duration in the tables of options.
                let text = escaped(piece.text == "D" ? "duration" : name)
                // mdoc(7) treats a bracket alone as a delimiter, not as an argument.
                let argument = ["[", "]", "(", ")"].contains(text) ? "\\&" + text : text
                defer { currentMacro = macro }
                return currentMacro == macro ? argument : macro + argument
            }.joined(separator: " Ns ")
        }.joined(separator: " | ")
    }

    /// Splits `NAME=VALUE` into `NAME`, `=` and `VALUE`, and `tcp:HOST:PORT` into `tcp:` and `HOST:PORT`.
    private static func pieces(_ text: Substring) -> [(text: String, isPlaceholder: Bool)] {
        var pieces: [(text: String, isPlaceholder: Bool)] = []
        for match in text.matches(of: /[A-Z]+(?::[A-Z]+)*(?![A-Za-z])|[A-Za-z]+|[^A-Za-z]+/) {
            let piece = String(match.0)
            let isPlaceholder = piece.allSatisfy { $0.isUppercase || $0 == ":" } && piece != ":"
            if !isPlaceholder, let last = pieces.last, !last.isPlaceholder {
                pieces[pieces.count - 1].text += piece
            } else {
                pieces.append((piece, isPlaceholder))
            }
        }
        return pieces
    }

    /// The item of a list for a command such as `send [id=ID] EVENT [NAME=VALUE …]`: words in capitals are placeholders, and
    /// brackets enclose optional words.
    public static func item(_ form: String) -> String {
        let parts = form.matches(of: /\[([^\]]*)\]|(\S+)/).map { match in
            if let optional = match.1 {
                return "Oo "
                    + optional.split(separator: " ").map { word(String($0)) }
                    .joined(separator: " ") + " Oc"
            }
            return word(String(match.2 ?? ""))
        }
        return ".It " + parts.joined(separator: " ")
    }

    private static func word(_ text: String) -> String {
        if text.hasPrefix("--") { return "Fl \(escaped(String(text.dropFirst())))" }
        let text = text.replacing("…", with: "...")
        if text.allSatisfy({ $0 == "." }) { return "Ar \(text)" }
        if text.hasSuffix("...") {
            return "\(word(String(text.dropLast(3)))) Ar ..."
        }
        return value(text)
    }

    /// A verb's items: each way to write it, with its sentence and details.
    public static func items(_ forms: [(text: String, sentence: String, details: String)]) -> String
    {
        forms.flatMap { form in
            [item(form.text)] + lines(form.sentence) + lines(form.details)
        }.joined(separator: "\n")
    }

    // MARK: text

    /// Converts a text with the markup of `LongOption.sentence`, such as backquotes, `$NAME` and `name(8)`, to lines of
    /// mdoc(7).
    public static func lines(_ text: String) -> [String] {
        var lines: [String] = []
        var line = ""
        func end() {
            if !line.isEmpty { lines.append(line) }
            line = ""
        }
        for token in tokens(text) {
            if let macro = macro(token) {
                end()
                lines.append(macro)
                continue
            }
            if line.count + 1 + token.count > 78 { end() }
            line += line.isEmpty ? plain(token) : " \(plain(token))"
            if token.last == ".", token.count > 1 { end() }
        }
        end()
        return lines
    }

    /// Splits a text into words; a text in backquotes or in brackets is one word.
    private static func tokens(_ text: String) -> [String] {
        var tokens: [String] = []
        var token = ""
        var closing: Character?
        for character in text {
            if let end = closing {
                token.append(character == "\n" ? " " : character)
                if character == end { closing = nil }
            } else if character == " " || character == "\n" {
                if !token.isEmpty { tokens.append(token) }
                token = ""
            } else {
                if token.isEmpty { closing = ["`": "`", "[": "]"][character] }
                token.append(character)
            }
        }
        return token.isEmpty ? tokens : tokens + [token]
    }

    /// The macro for a word with markup; nil for a plain word. The documentation of `LongOption` lists the kinds of markup.
    private static func macro(_ token: String) -> String? {
        if let page = token.wholeMatch(of: /([a-z0-9_-]+)\(([1-8])\)([.,;:)]*)/) {
            return ".Xr \(page.1) \(page.2)\(separate(page.3))"
        }
        guard let marked = token.wholeMatch(of: /(.*?)([.,;:)]*)/), !marked.1.isEmpty else {
            return nil
        }
        let (word, after) = (String(marked.1), separate(marked.2))
        if let literal = word.wholeMatch(of: /`(.+)`/)?.1 {
            let isOption = literal.hasPrefix("--") && !literal.contains(" ")
            // A word that looks like a macro, such as `Ms`, would be one.
            let isLikeMacro = literal.wholeMatch(of: /[A-Z][a-z0-9]{1,2}/) != nil
            let name =
                (isLikeMacro ? "\\&" : "")
                + escaped(String(isOption ? literal.dropFirst() : literal))
            return ".\(isOption ? "Fl" : "Ql") \(name)\(after)"
        }
        if let section = word.wholeMatch(of: /\[([A-Z].*)\]/)?.1 {
            return ".Sx \(section)\(after)"
        }
        if let variable = word.wholeMatch(of: /\$(\w+)/)?.1 { return ".Ev \(variable)\(after)" }
        if word.wholeMatch(of: /\/[a-z].*/) != nil { return ".Pa \(escaped(word))\(after)" }
        return nil
    }

    /// Returns punctuation as arguments of a macro. In mdoc(7), each character of it is an argument of its own.
    private static func separate(_ punctuation: Substring) -> String {
        punctuation.map { " \($0)" }.joined()
    }

    /// A word of running text.
    private static func plain(_ text: String) -> String {
        let text = text.replacing("\\", with: "\\e")
        return text.first == "." || text.first == "'" ? "\\&" + text : text
    }

    /// A literal argument of a macro.
    static func escaped(_ text: String) -> String {
        plain(text).replacing("-", with: "\\-").replacing("\"", with: "\\(dq")
    }
}
