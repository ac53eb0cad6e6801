internal import Glibc

/// What a standard stream is connected to.
public struct Terminal: Sendable {
    /// Whether a person looks at it.
    public let isTerminal: Bool
    /// Whether it may be coloured: it is a terminal, and `NO_COLOR` is not set.
    public let hasColour: Bool

    /// Looks at a descriptor. Wraps isatty(3).
    public init(_ descriptor: Int32) {
        isTerminal = isatty(descriptor) == 1
        let refuses = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
        let isDumb = getenv("TERM").map { String(cString: $0) == "dumb" } ?? false
        hasColour = isTerminal && !refuses && !isDumb
    }

    /// The parts of a display that may be coloured.
    public enum Style: String, Sendable {
        case bold = "1"
        case dim = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
        case cyan = "36"
    }

    /// The text in a style, or as it is where there is no colour.
    public func paint(_ text: String, _ style: Style) -> String {
        hasColour ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }
}

/// Writes text to standard error, whole, and ends the line unless told otherwise.
public func printError(_ text: String, end: String = "\n") {
    let line = Array((text + end).utf8)
    _ = line.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
}
