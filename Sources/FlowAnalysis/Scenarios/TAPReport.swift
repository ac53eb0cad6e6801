internal import GameFlow
internal import Support

/// The results of scenarios in TAP 14, the Test Anything Protocol.
public struct TAPReport {
    private let runs: [ScenarioRun]

    public init(_ runs: [ScenarioRun]) { self.runs = runs }

    public var isPassed: Bool { runs.allSatisfy { $0.failure == nil } }

    /// The report's lines.
    public var lines: [String] {
        ["TAP version 14", "1..\(runs.count)"]
            + runs.enumerated().flatMap { index, run in point(index + 1, run) }
    }

    /// A test point; if it failed, with a diagnostic block.
    private func point(_ number: Int, _ run: ScenarioRun) -> [String] {
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

    /// A description: `#` and `\` are escaped, as TAP requires, and control characters replaced.
    private func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            if scalar == "#" || scalar == "\\" { escaped.append("\\") }
            escaped.unicodeScalars.append(Self.mustBeEscaped(scalar) ? "\u{FFFD}" : scalar)
        }
        return escaped
    }

    /// Characters that YAML does not allow unescaped, or that control a terminal.
    private static func mustBeEscaped(_ scalar: Unicode.Scalar) -> Bool {
        TerminalText.isInterpreted(scalar) || [0xFEFF, 0xFFFE, 0xFFFF].contains(scalar.value)
    }

    /// A YAML string in double quotes, on one line.
    private func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case _ where Self.mustBeEscaped(scalar): quoted += TerminalText.escape(scalar)
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
