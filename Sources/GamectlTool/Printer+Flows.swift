import GameFlow
import Shell

/// Prints the result of `flows`: the flows of a daemon, and their versions.
extension Printer {
    /// A table with one row for each flow, which shows the flow's newest version. Below a flow's row, there is one row for each
    /// older version of the flow. After the table come the mistakes in flow files, and the warnings about
    /// them.
    func flows(_ result: Value) throws(CommandError) -> [String] {
        var table = Table(header: ["FLOW", "VERSION", "SESSIONS", "TITLE", "FILE"])
        for flow in try result.list("flows") {
            let version = flow.find("version").map { TerminalSafe.text($0) } ?? "–"
            table.add([
                try flow.escapedText("flow"), version, "\(try flow.number("sessions"))",
                flow.find("title").map { TerminalSafe.text($0) } ?? "",
                flow.find("file").map { TerminalSafe.text($0) } ?? "",
            ])
            for older in try flow.list("older") {
                table.add(["", try older.escapedText("version"), "\(try older.number("sessions"))"])
            }
        }
        let mistakes = try result.list("mistakes").map { TerminalSafe.text($0) }
        // A daemon of an older version sends no warnings.
        let warnings = try result.find("warnings") == nil ? [] : result.list("warnings")
        return table.lines(terminal)
            + list(mistakes, "Flow files with mistakes were not loaded:", .red)
            + list(warnings.map { TerminalSafe.text($0) }, "Warnings:", .yellow)
    }

    /// Lines below a heading, after an empty line; none if there are no lines.
    private func list(_ lines: [String], _ heading: String, _ style: Terminal.Style) -> [String] {
        lines.isEmpty ? [] : ["", terminal.paint(heading, style)] + lines
    }
}
