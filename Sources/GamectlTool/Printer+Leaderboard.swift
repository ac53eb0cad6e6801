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
        let values = try rows.map { row throws(CommandError) in try row.number("value") }
        let texts = isTime ? Self.times(Self.roundedDown(values)) : values.map(String.init)
        for (row, text) in zip(rows, texts) {
            table.add([
                "\(try row.number("rank"))", text,
                row.find("name").map(TerminalSafe.text) ?? "", try row.escapedText("session"),
            ])
        }
        return table.lines(terminal, indent: "")
    }

    /// Times by which games are ranked, in milliseconds, rounded down as on the leaderboard's page: to tenths of a second if all are
    /// shorter than a minute, otherwise to whole seconds. Less than a second stays as it is.
    private static func roundedDown(_ times: [Int]) -> [Int] {
        let unit = times.allSatisfy { $0 < 60_000 } ? 100 : 1000
        return times.map { $0 < 1000 ? $0 : $0 - $0 % unit }
    }
}
