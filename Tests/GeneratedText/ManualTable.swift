private import Glibc
private import TestSupport

/// A table of a page in `docs/`, as the items of a manual page. So the manual has the words of the page, and nobody writes them
/// twice.
public enum ManualTable {
    /// The items of a table below the heading. `page` is a path inside the repository, `heading` the text after the marks `#`,
    /// and `table` counts the tables from 0. The first `heads` columns are the head of an item, and the next one describes it.
    /// Returns an empty text if there is no such table, which the comparison with the manual then shows.
    public static func items(
        _ page: String, _ heading: String, table: Int = 0, heads: Int = 1
    ) -> String {
        let lines = RepositoryFile.text(page).split(
            separator: "\n", omittingEmptySubsequences: false)
        guard
            let start = lines.firstIndex(where: {
                $0.hasPrefix("#") && $0.drop { $0 == "#" || $0 == " " } == heading
            })
        else { return "" }
        var rest = lines[(start + 1)...].drop { !$0.hasPrefix("|") }
        for _ in 0..<table { rest = rest.drop { $0.hasPrefix("|") }.drop { !$0.hasPrefix("|") } }
        let rows = rest.prefix { $0.hasPrefix("|") }
        // The first two lines are the heads of the columns, and the line below them.
        return rows.dropFirst(2).flatMap { row in
            let cells = cells(of: row)
            return [item(cells.prefix(heads).joined(separator: " "))]
                + cells.dropFirst(heads).prefix(1).flatMap(paragraph)
        }.joined(separator: "\n")
    }

    /// The cells of a row, without the blanks around them. `\|` is a bar inside a cell.
    static func cells(of row: Substring) -> [String] {
        let text = row.replacing("\\|", with: "\u{0}")
        return text.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
            .map { cell in
                let words = cell.split(separator: " ").joined(separator: " ")
                return words.replacing("\u{0}", with: "|")
            }
    }

    /// The head of an item: texts in backquotes are literal.
    static func item(_ cell: String) -> String {
        let parts = cell.split(separator: "`", omittingEmptySubsequences: false).enumerated().map {
            index, text in
            let words = withoutLinks(String(text)).split(separator: " ").joined(separator: " ")
            if words.isEmpty || words == "," { return words }
            return index.isMultiple(of: 2)
                ? "No \(Manual.escaped(words))" : "Cm \"\(Manual.escaped(words))\""
        }
        return ".It " + parts.filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// The lines of a description.
    private static func paragraph(_ text: String) -> [String] {
        let sentence = withoutLinks(text)
        return Manual.lines(sentence.prefix(1).uppercased() + sentence.dropFirst()).map { line in
            // A word such as `a`, inside parentheses has no macro.
            line.hasPrefix(".") ? line : line.replacing("`", with: "")
        }
    }

    /// The text with each link `[text](address)` replaced by its text.
    private static func withoutLinks(_ text: String) -> String {
        text.replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.1 }
    }
}
