import GameFlow
import RPC
import Shell

/// Prints the outputs to the devices of the room.
extension Printer {
    /// A table of the configured lines with outputs, and the newest failures of each; or the result of `outputs test`.
    func outputs(_ result: Value) throws(CommandError) -> [String] {
        guard result.find("outputs") != nil else { return [try testResult(result)] }
        let outputs = try result.list("outputs")
        guard !outputs.isEmpty else { return ["no output is configured"] }
        var lines: [String] = []
        if try !result.boolean("on") {
            lines.append(terminal.paint("Outputs are off: nothing is sent.", .yellow))
        }
        if case .bool(true)? = result.find("recovering") {
            lines.append(
                "gamed is still reading the journal for outputs that were not sent before its restart."
            )
        }
        var table = Table(header: [
            "LINE", "TARGET", "STATE", "WAITING", "DELIVERED", "GIVEN UP", "NOT SENT (OFF)", "WHAT",
        ])
        for output in outputs { table.add(try row(of: output)) }
        lines += table.lines(terminal)
        for output in outputs { lines += try failures(of: output) }
        return lines
    }

    private func row(of output: Value) throws(CommandError) -> [String] {
        [
            "\(try output.number("line"))", try output.escapedText("target"),
            try output.escapedText("state"),
            "\(try output.number("waiting"))", "\(try output.number("delivered"))",
            "\(try output.number("givenUp"))", "\(try output.number("withheld"))",
            try output.escapedText("text"),
        ]
    }

    /// The newest failures of a line; all of them are in the JSON.
    private func failures(of output: Value) throws(CommandError) -> [String] {
        let failures = try output.list("failures")
        var lines: [String] = []
        if failures.isEmpty, output.find("lastError") != nil {
            lines.append(
                "line \(try output.number("line")): \(try output.escapedText("lastError"))")
        }
        for failure in failures.prefix(Self.shownFailures) {
            let text =
                "\(try failure.escapedText("id")) was given up: \(try failure.escapedText("why"))"
            lines.append(terminal.paint("line \(try output.number("line")): \(text)", .red))
        }
        return lines
    }

    /// The number of failures of each line that are printed.
    private static var shownFailures: Int { 5 }

    private func testResult(_ result: Value) throws(CommandError) -> String {
        let output = "\(try result.escapedText("target")): \(try result.escapedText("sent"))"
        if try result.boolean("delivered") { return "delivered to \(output)" }
        return terminal.paint(
            "not delivered to \(output): \(try result.escapedText("failure"))", .red)
    }
}
