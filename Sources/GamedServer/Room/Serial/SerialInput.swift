import GameFlow
import Inputs

/// A line of a serial device, without its line end, and the name of the connection.
struct SerialInput: RoomInput {
    let line: [UInt8]
    let peer: String

    var shownText: String { String(decoding: line, as: UTF8.self) }
}

/// The condition of a `map` line about the lines of a serial device.
struct SerialPattern: InputPattern {
    static let form = "line=PATTERN"
    static let keys = ["line"]

    private let pattern: LinePattern

    init(_ line: InputMapDirective) throws(ConfigurationFile.ConfigurationError) {
        pattern = LinePattern(try line.text("line"))
    }

    var text: String { "line=\(pattern.text)" }

    func mayHaveValue(for placeholder: InputPlaceholder) -> Bool {
        if case .number(let number) = placeholder { number <= pattern.captureCount } else { false }
    }

    /// The values are the parts of the line that each `*` of the pattern matched, in order.
    func values(of input: SerialInput) -> InputValues? {
        guard String(validating: input.line, as: UTF8.self) != nil,
            let captures = pattern.match(input.line)
        else { return nil }
        return { part in
            guard case .number(let position) = part, position <= captures.count else { return nil }
            return .string(captures[position - 1])
        }
    }
}
