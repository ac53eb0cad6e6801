internal import GameFlow
internal import Support

/// The report of `gamectl test`: the results of scenarios in TAP 14, the Test Anything Protocol.
public struct TAPReport {
    private let runs: [ScenarioRun]

    public init(_ runs: [ScenarioRun]) { self.runs = runs }

    /// Whether no scenario failed.
    public var isPassed: Bool { runs.allSatisfy { $0.failure == nil } }

    /// The report's lines.
    public var lines: [String] {
        ["TAP version 14", "1..\(runs.count)"]
            + runs.enumerated().flatMap { index, run in testPoint(index + 1, run) }
    }

    /// The test point (TAP's word for one result) of a scenario. If the scenario failed, a diagnostic block in YAML follows.
    private func testPoint(_ number: Int, _ run: ScenarioRun) -> [String] {
        let title = escaped("\(run.scenario.flow.name): \(run.scenario.title)")
        guard let failure = run.failure else { return ["ok \(number) - \(title)"] }
        return [
            "not ok \(number) - \(title)",
            "  ---",
            "  at: \(quoted("\(run.scenario.file):\(failure.line)"))",
            "  expected: \(quoted(failure.expected))",
            "  was: \(quoted(failure.was))",
            "  ...",
        ]
    }

    /// A text as the description of a test point: `#` and `\` are escaped, as TAP requires, and unsafe characters are replaced
    /// by U+FFFD.
    private func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            if scalar == "#" || scalar == "\\" { escaped.append("\\") }
            escaped.unicodeScalars.append(Self.isUnsafe(scalar) ? "\u{FFFD}" : scalar)
        }
        return escaped
    }

    /// Whether the character must be escaped or replaced. The reason is that a terminal interprets the character, or that YAML
    /// forbids it without an escape. For example, YAML forbids U+FEFF, the byte order mark.
    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        TerminalText.isInterpreted(scalar) || [0xFEFF, 0xFFFE, 0xFFFF].contains(scalar.value)
    }

    /// A YAML string in double quotes, on one line.
    private func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case _ where Self.isUnsafe(scalar): quoted += TerminalText.escape(scalar)
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
