import GameFlow
import Shell

/// Prints the best games of a flow: the result of the method `leaderboard`.
extension Printer {
    /// A table with one row for each game, the best first. The second header is the title of the datum by which the games are
    /// ranked, or its name if it has none. `NAME` is empty for a row without a name.
    func leaderboard(_ result: Value) throws(CommandError) -> [String] {
        let rows = try result.list("rows")
        guard !rows.isEmpty else { return ["no games"] }
        // What the games are ranked by: `time`, or the name of a datum.
        let criterion = try result.text("by")
        // By the convention of flows, a datum whose name ends with `Ms` is a time in milliseconds.
        let isTime = criterion == "time" || criterion.hasSuffix("Ms")
        let name = criterion.hasSuffix("Ms") ? String(criterion.dropLast(2)) : criterion
        let title = result.find("title")?.text ?? name
        var table = Table(header: [
            "RANK", TerminalSafe.escaped(title.uppercased()), "NAME", "SESSION",
        ])
        for row in rows {
            let value = try row.number("value")
            table.add([
                "\(try row.number("rank"))", isTime ? Self.score(value) : "\(value)",
                row.find("name").map(TerminalSafe.text) ?? "", try row.escapedText("session"),
            ])
        }
        return table.lines(terminal, indent: "")
    }

    /// A time by which games are ranked, in milliseconds, rounded down as on the leaderboard's page: below a minute to tenths of a
    /// second, such as `7.0 s`, otherwise to seconds, such as `1:12`.
    private static func score(_ ms: Int) -> String {
        ms < 60_000 ? "\(ms / 1000).\(ms / 100 % 10) s" : ClockText.length(ms - ms % 1000)
    }
}
