import GameFlow
import Shell

/// Prints the result of `flows`: the flows of a daemon, and their versions.
extension Printer {
    /// A table with one row for each flow, which shows the flow's newest version. Below a flow's row, there is one row for each
    /// older version of the flow. After the table come the mistakes in flow files.
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
        guard !mistakes.isEmpty else { return table.lines(terminal) }
        return table.lines(terminal) + [
            "", terminal.paint("Flow files with mistakes were not loaded:", .red),
        ] + mistakes
    }
}
