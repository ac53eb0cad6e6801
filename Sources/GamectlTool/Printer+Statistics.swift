import GameFlow
import RPC
import Shell
import Support
import Timers

/// Prints statistics of games, for the verbs `stats` and `journal stats`. For each flow: the number of games, lines such as
/// `outcomes` and `hints`, and a table of the flow's states.
extension Printer {
    func statistics(_ result: Value) throws(CommandError) -> [String] {
        let flows = try result.list("flows")
        let since = try self.since(result)
        if flows.isEmpty { return since + ["no games"] }
        // Without recorded refusals, the count 0 would be misleading.
        let showsRefusals = try result.boolean("refusalsRecorded")
        var lines: [String] = []
        for flow in flows {
            if !lines.isEmpty { lines.append("") }
            lines += try statistics(of: flow, showsRefusals: showsRefusals)
        }
        return since + lines
    }

    /// The line that says from when the games are counted, in the zone of the daemon; none if all are.
    private func since(_ result: Value) throws(CommandError) -> [String] {
        guard result.find("sinceMs") != nil else { return [] }
        let second = try result.number("sinceMs") / 1000
        let name = try result.text("zone")
        guard let zone = ClockZone.named(name) ?? ClockZone(rule: name) else {
            return ["since \(Timestamp.text(.seconds(second)))"]
        }
        // The zone's clocks show now what clocks of UTC show so much later.
        let local = Timestamp.text(.seconds(second + zone.offset(at: second)))
        let date = local.prefix(10)
        let time = local.dropFirst(11).prefix(5)
        return ["since \(date) \(time) \(TerminalSafe.escaped(name))"]
    }

    private func statistics(of flow: Value, showsRefusals: Bool) throws(CommandError) -> [String] {
        let games = try flow.number("games")
        var outcomes: [String] = []
        for outcome in try flow.list("outcomes") {
            outcomes.append(
                "\(try outcome.number("games")) \(try Self.title(outcome, or: "state"))")
        }
        // Unfinished games were closed before a final state; running ones are open.
        for name in ["unfinished", "running"] {
            let count = try flow.number(name)
            if count > 0 { outcomes.append("\(count) \(name)") }
        }
        // Changes that operators made with the verbs `goto`, `timer` and `undo`.
        let overrides = try flow.member("overrides")
        var pairs = [
            ("outcomes", [outcomes.isEmpty ? "none" : outcomes.joined(separator: ", ")]),
            (
                "overrides",
                [
                    "\(try overrides.number("goto")) goto, \(try overrides.number("timer")) timer, "
                        + "\(try overrides.number("undo")) undo"
                ]
            ),
            // Texts that operators sent to players with `say`.
            ("hints", ["\(try flow.number("hints"))"]),
            (
                "refusals",
                [showsRefusals ? "\(try flow.number("refusals"))" : "not recorded"]
            ),
        ]
        let versions = try flow.escapedTexts("versions")
        if versions.count > 1 { pairs.append(("versions", [versions.joined(separator: ", ")])) }
        let name = try flow.escapedText("flow")
        let title = try Self.title(flow, or: "flow")
        let heading = terminal.paint(title, .bold) + (title == name ? "" : " (\(name))")
        return ["\(heading)  \(CountText.write(games, "game"))"] + nameValueLines(pairs)
            + (try states(of: flow))
    }

    /// A table of the states: the number of visits, and the median and the 90th percentile of the visits' times.
    private func states(of flow: Value) throws(CommandError) -> [String] {
        let states = try flow.list("states")
        if states.isEmpty { return [] }
        var table = Table(header: ["STATE", "VISITS", "MEDIAN", "90 %"])
        var times: [Int] = []
        for state in states {
            times += [try state.number("medianMs"), try state.number("p90Ms")]
        }
        let texts = Self.times(times)
        for (index, state) in states.enumerated() {
            table.add([
                try Self.title(state, or: "state"), "\(try state.number("visits"))",
                texts[2 * index], texts[2 * index + 1],
            ])
        }
        return table.lines(terminal, indent: "  ")
    }

    /// The title of a flow or a state; the member `name` if the flow has no title for it.
    private static func title(_ value: Value, or name: String) throws(CommandError) -> String {
        if let title = value.find("title") { return TerminalSafe.text(title) }
        return try value.escapedText(name)
    }

    /// The texts of durations in milliseconds, all in one form. If all are shorter than a minute, they are in seconds: `4.2 s`, or
    /// `0.04 s` and `4.20 s` if one is shorter than a second. Otherwise they are rounded up to whole seconds: `1:12`, `1:02:03`,
    /// and `< 0:01` for less than a second.
    static func times(_ durations: [Int]) -> [String] {
        guard let longest = durations.max(), longest < 60_000 else {
            return durations.map { 1..<1000 ~= $0 ? "< 0:01" : ClockText.length($0) }
        }
        let hasShort = durations.contains { 1..<1000 ~= $0 }
        return durations.map { ms in
            let hundredths = hasShort ? (ms + 5) / 10 : (ms + 50) / 100 * 10
            let digits = "\(hundredths / 10 % 10)" + (hasShort ? "\(hundredths % 10)" : "")
            return "\(hundredths / 100).\(digits) s"
        }
    }
}
