/// Formats the output of `--help`.
public enum HelpText {
    /// The maximum length of a line, in characters.
    private static let width = 100

    /// A table of options with their values, descriptions and defaults.
    public static func options(_ options: [LongOption]) -> String {
        rows(
            options.map { option in
                let defaultText = option.defaultValue.map { " Default: \($0)." } ?? ""
                return (
                    "--\(option.name)\(option.value.map { " \($0)" } ?? "")",
                    option.sentence + defaultText
                )
            })
    }

    /// A table of terms and meanings. Each meaning begins at `column`, counted from 0. If less than two blanks would remain
    /// between a term and its meaning, the term has lines of its own.
    public static func rows(_ rows: [(term: String, meaning: String)], column: Int = 25) -> String {
        rows.flatMap { row in
            let meaningLines = wrap(row.meaning, to: width - column)
            let margin = String(repeating: " ", count: column)
            let term = "  \(row.term)"
            if term.count + 2 > column {
                // The further lines of the term are indented by four blanks.
                let termLines = wrap(row.term, to: width - 4)
                return ["  \(termLines.first ?? "")"] + termLines.dropFirst().map { "    \($0)" }
                    + meaningLines.map { margin + $0 }
            }
            let padding = String(repeating: " ", count: column - term.count)
            return [term + padding + (meaningLines.first ?? "")]
                + meaningLines.dropFirst().map { margin + $0 }
        }.joined(separator: "\n")
    }

    /// Wraps a text at blanks and line ends to lines of at most `width` characters; a longer word
    /// is on a line of its own.
    static func wrap(_ text: String, to width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
            if !line.isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = ""
            }
            line += line.isEmpty ? "\(word)" : " \(word)"
        }
        return line.isEmpty ? lines : lines + [line]
    }
}
