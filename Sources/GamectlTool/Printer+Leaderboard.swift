import GameFlow
import Shell

/// Prints the best games of a flow.
extension Printer {
    func leaderboard(_ result: Value) throws(CommandError) -> [String] {
        let rows = try result.list("rows")
        guard !rows.isEmpty else { return ["no games"] }
        let by = try result.text("by")
        let isTime = by == "time" || by.hasSuffix("Ms")
        var table = Table(header: [
            "RANK", TerminalSafe.escaped(by.uppercased()), "NAME", "SESSION",
        ])
        for row in rows {
            let value = try row.number("value")
            table.add([
                "\(try row.number("rank"))", isTime ? Self.time(value) : "\(value)",
                row.find("name").map(TerminalSafe.text) ?? "", try row.escapedText("session"),
            ])
        }
        return table.lines(terminal, indent: "")
    }
}
