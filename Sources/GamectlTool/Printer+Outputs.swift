import GameFlow
import RPC
import Shell

/// Prints the outputs to the devices of the room: the result of the method `outputs`.
extension Printer {
    /// A table of the `on` lines of the configuration that have outputs, and the newest failures of each line. For
    /// `outputs test`, whose result has no member `outputs`: whether the tested output was delivered.
    func outputs(_ result: Value) throws(CommandError) -> [String] {
        if result.find("topics") != nil { return try retainedTopics(result) }
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
            "LINE", "TARGET", "STATE", "WAITING", "DELIVERED", "GIVEN UP", "WITHHELD", "WHAT",
        ])
        for output in outputs { table.add(try row(of: output)) }
        lines += table.lines(terminal)
        for output in outputs { lines += try failures(of: output) }
        return lines
    }

    /// The cells of one `on` line, in the order of the table's header. `withheld` counts the outputs that were not sent for one
    /// of two reasons: outputs were off, or an HTTP receiver had answered 410. With 410, a receiver says that it wants no more
    /// requests.
    private func row(of output: Value) throws(CommandError) -> [String] {
        [
            "\(try output.number("line"))", try output.escapedText("target"),
            try output.escapedText("state"),
            "\(try output.number("waiting"))", "\(try output.number("delivered"))",
            "\(try output.number("givenUp"))", "\(try output.number("withheld"))",
            try output.escapedText("text"),
        ]
    }

    /// The newest outputs of an `on` line that were given up. If none was given up, the error of the latest failed attempt to
    /// send an output of the line. `--json` prints all failures that the daemon remembers.
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

    /// The number of failures that are printed for each `on` line.
    private static var shownFailures: Int { 5 }

    /// One sentence: whether the output of `outputs test` was delivered, and if not, why.
    private func testResult(_ result: Value) throws(CommandError) -> String {
        let output = "\(try result.escapedText("target")): \(try result.escapedText("sent"))"
        if try result.boolean("delivered") { return "delivered to \(output)" }
        return terminal.paint(
            "not delivered to \(output): \(try result.escapedText("failure"))", .red)
    }

    /// The retained messages that were found below a prefix, and what became of them.
    private func retainedTopics(_ result: Value) throws(CommandError) -> [String] {
        let topics = try result.escapedTexts("topics")
        guard !topics.isEmpty else { return ["no retained message below this prefix"] }
        let end =
            try result.boolean("cleared")
            ? "\(topics.count) cleared" : "\(topics.count) found; --yes clears them"
        return topics + [end]
    }
}
