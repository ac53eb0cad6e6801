internal import Glibc

/// Properties of a standard stream.
public struct Terminal: Sendable {
    /// Whether the stream is a terminal.
    public let isTerminal: Bool
    /// Whether colours may be used: the stream is a terminal that supports them, and `NO_COLOR` is
    /// not set or is empty.
    public let hasColour: Bool

    /// The properties of standard output.
    public static var standardOutput: Terminal { Terminal(STDOUT_FILENO) }

    /// Examines a descriptor. Wraps isatty(3).
    public init(_ descriptor: Int32) {
        isTerminal = isatty(descriptor) == 1
        let refusesColour = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
        let isDumb = getenv("TERM").map { String(cString: $0) == "dumb" } ?? false
        hasColour = isTerminal && !refusesColour && !isDumb
    }

    /// The styles of output.
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

/// Writes text to standard error in one call, with a line end unless `end` is given.
public func printError(_ text: String, end: String = "\n") {
    let line = Array((text + end).utf8)
    _ = line.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
}

/// Shows the progress of a long operation, if standard error is a terminal.
public struct Progress {
    private let operation: String
    private let total: Int
    private let step: Int
    private let isShown = Terminal(2).isTerminal
    /// The number of finished items at which the progress is shown next.
    private var next: Int
    private var hasShown = false

    /// The progress of an operation on `total` items. It is shown after each `step` items, and not
    /// at all for an operation on fewer items.
    public init(_ operation: String, of total: Int, step: Int = 10_000) {
        (self.operation, self.total, self.step) = (operation, total, step)
        next = step
    }

    /// Shows how much of the operation is done, in percent, if at least `step` items were finished since it was shown before.
    public mutating func show(_ done: Int) {
        guard isShown, done >= next else { return }
        next = done.addingReportingOverflow(step).partialValue
        hasShown = true
        let percent = Int(100 * min(1, Double(done) / Double(max(total, 1))))
        printError("\r\(operation): \(percent) %", end: "")
    }

    /// Clears the line.
    public mutating func end() {
        if hasShown { printError("\r\u{1B}[K", end: "") }
        hasShown = false
    }
}
