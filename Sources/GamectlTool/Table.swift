import Shell

/// Text in columns.
struct Table {
    private var rows: [(cells: [String], style: Terminal.Style?)] = []

    /// Creates a table. The header, if there is one, is its first row, in dim letters.
    init(header: [String]? = nil) {
        if let header { rows.append((header, .dim)) }
    }

    mutating func add(_ cells: [String]) { rows.append((cells, nil)) }

    /// The rows as lines, with the cells aligned in columns and without trailing spaces. Each line begins with `indent`.
    func lines(_ terminal: Terminal, indent: String = "") -> [String] {
        let columns = rows.map(\.cells.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.map { column < $0.cells.count ? $0.cells[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            var text = indent
            for (column, cell) in row.cells.enumerated() {
                text += Self.pad(cell, widths[column]) + "  "
            }
            while text.last == " " { text.removeLast() }
            return row.style.map { terminal.paint(text, $0) } ?? text
        }
    }

    /// The text with spaces at its end, at least `width` columns wide.
    static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// Words joined with spaces into lines of at most `width` columns. A longer word has a line of its own.
    static func wrap(_ words: [String], width: Int) -> [String] {
        var lines: [String] = []
        for word in words {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(word)
            }
        }
        return lines
    }
}
