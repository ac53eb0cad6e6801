internal import Glibc

/// Properties of a standard stream.
public struct Terminal: Sendable {
    /// Whether the stream is a terminal.
    public let isTerminal: Bool
    /// Whether colours may be used: the stream is a terminal that supports them, and `NO_COLOR` is
    /// not set or is empty.
    public private(set) var hasColour: Bool
    /// Whether the stream can show all characters: it is no terminal, or the character set of the locale is UTF-8.
    public let hasUnicode: Bool

    /// The properties of standard output.
    public static var standardOutput: Terminal { Terminal(STDOUT_FILENO) }

    /// The same terminal, for a text that another program paints.
    public var withoutColour: Terminal {
        var terminal = self
        terminal.hasColour = false
        return terminal
    }

    /// Examines a descriptor. Wraps isatty(3).
    public init(_ descriptor: Int32) {
        isTerminal = isatty(descriptor) == 1
        let refusesColour = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
        let isDumb = getenv("TERM").map { String(cString: $0) == "dumb" } ?? false
        hasColour = isTerminal && !refusesColour && !isDumb
        hasUnicode = !isTerminal || Self.isUTF8(locale: Self.locale)
    }

    /// The locale that determines the character set.
    private static var locale: String { locale("LC_CTYPE") }

    /// The reader's language, as two or three small letters: `de` of the locale `de_DE.UTF-8`. Nil if the environment names none.
    public static var language: String? {
        let language = locale("LC_MESSAGES").prefix { $0.isASCII && $0.isLetter }.lowercased()
        return (2...3).contains(language.count) ? language : nil
    }

    /// The locale of a category, such as `LC_CTYPE`: the first of the variables that is set and not empty.
    private static func locale(_ category: String) -> String {
        for name in ["LC_ALL", category, "LANG"] {
            if let value = getenv(name), value.pointee != 0 { return String(cString: value) }
        }
        return ""
    }

    /// Whether the name of a locale, such as `de_DE.UTF-8`, names this character set.
    static func isUTF8(locale: String) -> Bool {
        let name = locale.lowercased()
        return name.contains("utf-8") || name.contains("utf8")
    }

    /// The text as the stream can show it. If it cannot show all characters, the lines, bars and arrows that programs of this
    /// package draw become plain characters. Letters stay, because names are better wrong on some terminals than lost on all.
    public func shown(_ text: String) -> String { hasUnicode ? text : Self.plain(text) }

    /// The text with plain characters in place of lines, bars and arrows.
    static func plain(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { plain, scalar in
            if let replacement = plainCharacters[scalar] {
                plain += replacement
            } else {
                plain.unicodeScalars.append(scalar)
            }
        }
    }

    private static let plainCharacters: [Unicode.Scalar: String] = [
        "·": "-", "…": "...", "→": "->", "▕": "[", "▏": "]", "█": "#", "░": ".", "–": "-",
        "’": "'", "“": "\"", "”": "\"", "×": "x", "⏱": "timer", "♩": "beat", "●": "*", "✓": "+",
        "✗": "x",
    ]

    /// The styles of output. The raw value of a style is its number on ANSI terminals.
    public enum Style: String, Sendable {
        case bold = "1"
        case dim = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
        case cyan = "36"
    }

    /// The text in a style; unchanged if colours may not be used.
    public func paint(_ text: String, _ style: Style) -> String {
        hasColour ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }
}

/// Writes a text to standard error, followed by `end`. Makes one system call, so that the line is not mixed with lines of other
/// processes.
public func printError(_ text: String, end: String = "\n") {
    let line = Array((text + end).utf8)
    _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

/// Shows the progress of a long operation, if standard error is a terminal.
public struct Progress {
    private let operation: String
    private let total: Int
    /// The progress is shown again after this many more items.
    private let step: Int
    private let hasTerminal = Terminal(STDERR_FILENO).isTerminal
    /// The progress is shown again when this many items are finished.
    private var nextCount: Int
    /// Whether the terminal's line shows the progress, so that `end` has to clear the line.
    private var isLineShown = false

    /// The progress of an operation on `total` items. The progress is shown after each `step` items. It is not shown for an
    /// operation on fewer than `step` items.
    public init(_ operation: String, of total: Int, step: Int = 10_000) {
        (self.operation, self.total, self.step) = (operation, total, step)
        nextCount = step
    }

    /// Shows the progress in percent if at least `step` items were finished since the progress was last shown. `done` is the
    /// number of finished items.
    public mutating func show(_ done: Int) {
        guard hasTerminal, done >= nextCount else { return }
        // Unlike `+`, this does not trap if `done` is near `Int.max`.
        nextCount = done.addingReportingOverflow(step).partialValue
        isLineShown = true
        let percent = Int(100 * min(1, Double(done) / Double(max(total, 1))))
        printError("\r\(operation): \(percent) %", end: "")
    }

    /// Removes the progress from the terminal.
    public mutating func end() {
        if isLineShown { printError("\r\u{1B}[K", end: "") }
        isLineShown = false
    }
}
