internal import GameFlow
internal import Support

/// The outcome of scenarios as TAP 14 has it, the Test Anything Protocol.
public struct TAPReport {
    private let runs: [ScenarioRun]

    public init(_ runs: [ScenarioRun]) { self.runs = runs }

    public var isPassed: Bool { runs.allSatisfy { $0.failure == nil } }

    /// All of it, a line each.
    public var lines: [String] {
        ["TAP version 14", "1..\(runs.count)"]
            + runs.enumerated().flatMap { index, run in point(index + 1, run) }
    }

    /// A test point, with a block that says what was expected where one failed.
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

    /// In a description, `#` begins a directive and `\` escapes; it is one line for a terminal.
    private func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            if scalar == "#" || scalar == "\\" { escaped.append("\\") }
            escaped.unicodeScalars.append(Self.isOdd(scalar) ? "\u{FFFD}" : scalar)
        }
        return escaped
    }

    /// What YAML does not take as it stands, or a terminal would obey.
    private static func isOdd(_ scalar: Unicode.Scalar) -> Bool {
        TerminalText.obeys(scalar) || [0xFEFF, 0xFFFE, 0xFFFF].contains(scalar.value)
    }

    /// A YAML string in double quotes, which a line of ours may hold whatever it holds.
    private func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case _ where Self.isOdd(scalar): quoted += TerminalText.escape(scalar)
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
