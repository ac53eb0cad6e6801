import GameFlow
import Shell

/// Prints the best games of a flow: the result of the method `leaderboard`.
extension Printer {
    /// A table with one row for each game, the best first. `NAME` is empty for a row without a name.
    func leaderboard(_ result: Value) throws(CommandError) -> [String] {
        let rows = try result.list("rows")
        guard !rows.isEmpty else { return ["no games"] }
        // What the games are ranked by: `time`, or the name of a datum.
        let criterion = try result.text("by")
        // By the convention of flows, a datum whose name ends with `Ms` is a time in milliseconds.
        let isTime = criterion == "time" || criterion.hasSuffix("Ms")
        let name = criterion.hasSuffix("Ms") ? String(criterion.dropLast(2)) : criterion
        var table = Table(header: [
            "RANK", TerminalSafe.escaped(name.uppercased()), "NAME", "SESSION",
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

    /// A time by which games are ranked, in milliseconds: `1:12`, below a second `250ms`. The leaderboard's page rounds down to
    /// whole seconds, so this text does, too.
    private static func score(_ ms: Int) -> String {
        ms < 1000 ? "\(ms)ms" : ClockText.length(ms - ms % 1000)
    }
}
