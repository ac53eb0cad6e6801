import GameFlow
import Shell

/// Prints the results of `hello` and `describe`.
extension Printer {
    /// The daemon's version and protocol, its flows, methods and limits.
    func hello(_ hello: Value) throws(CommandError) -> [String] {
        let limits = try hello.member("limits").members.map { TerminalSafe.pairs([$0]) }
        let flows = commaSeparated(try hello.escapedTexts("flows"))
        let methods = commaSeparated(try hello.escapedTexts("methods"))
        let name = terminal.paint(try hello.escapedText("name"), .bold)
        return ["\(name) \(try hello.escapedText("version"))"]
            + nameValueLines([
                ("protocol", ["\(try hello.number("protocol"))"]),
                ("instance", [try hello.escapedText("instance")]),
                ("clock", [try hello.escapedText("clock")]),
                ("flows", Table.wrap(flows, width: Self.valueWidth)),
                ("methods", Table.wrap(methods, width: Self.valueWidth)),
                ("limits", Table.wrap(limits, width: Self.valueWidth)),
            ])
    }

    /// The states, events, signals and transitions of a flow. `flow` is the result of `describe`.
    func describe(_ flow: Value) throws(CommandError) -> [String] {
        let title = try title(of: flow).map { "  \($0)" } ?? ""
        var lines = ["flow \(terminal.paint(try flow.escapedText("flow"), .bold))\(title)"]
        lines += try section("STATE", ["DATA", "TIMERS"], flow.list("states")) {
            (state) throws(CommandError) in
            [try fields(state.list("data")), try timers(state)]
        }
        lines += try section("EVENT", ["ARGUMENTS"], flow.list("events")) {
            (event) throws(CommandError) in [try fields(event.list("args"))]
        }
        let signals = try flow.escapedTexts("signals")
        if !signals.isEmpty { lines += ["", "  " + terminal.paint("SIGNALS", .dim)] }
        // With the indent of two columns, these lines fit into 80 columns.
        lines += Table.wrap(commaSeparated(signals), width: 76).map { "  " + $0 }
        return lines + [""] + (try transitions(flow))
    }

    /// An empty line and a table. The first column has the title `nameTitle` and contains the name of each row; `titles` are
    /// the titles of the other columns, and `cells` returns the cells of a row in these columns. If a row has a title for people,
    /// the second column has these titles.
    private func section(
        _ nameTitle: String, _ titles: [String], _ rows: [Value],
        _ cells: (Value) throws(CommandError) -> [String]
    ) throws(CommandError) -> [String] {
        let showsTitles = rows.contains { $0.find("title") != nil }
        var table = Table(header: [nameTitle] + (showsTitles ? ["TITLE"] : []) + titles)
        for row in rows {
            let title = showsTitles ? [try title(of: row) ?? ""] : []
            table.add([try row.escapedText("name")] + title + (try cells(row)))
        }
        return [""] + table.lines(terminal, indent: "  ")
    }

    /// The title of a flow, a state or an event for people; nil without one.
    private func title(of described: Value) throws(CommandError) -> String? {
        described.find("title") == nil ? nil : try described.escapedText("title")
    }

    /// The data of a state, or the arguments of an event, on one line.
    private func fields(_ fields: [Value]) throws(CommandError) -> String {
        var texts: [String] = []
        for field in fields { texts.append(try self.field(field)) }
        return texts.joined(separator: ", ")
    }

    /// One datum or argument: `level: integer`, `player?: string` (optional), `to: here|there` (one of two texts).
    private func field(_ field: Value) throws(CommandError) -> String {
        let values = field.find("values") == nil ? [] : try field.escapedTexts("values")
        let type = values.isEmpty ? try field.escapedText("type") : values.joined(separator: "|")
        let isOptional = field.find("optional") == .bool(true)
        return "\(try field.escapedText("name"))\(isOptional ? "?" : ""): \(type)"
    }

    /// The timers of a state, such as `timeUp 1:30, tick every 0:01`; before them, `final` if the state is final.
    private func timers(_ state: Value) throws(CommandError) -> String {
        var texts: [String] = try state.boolean("final") ? ["final"] : []
        for timer in try state.list("timers") {
            let traits = ["paused", "overtime"].filter { timer.find($0) == .bool(true) }
            let words = [try timer.escapedText("fires"), try times(of: timer)].filter {
                !$0.isEmpty
            }
            texts.append(([words.joined(separator: " ")] + traits).joined(separator: ", "))
        }
        return texts.joined(separator: ", ")
    }

    /// The kind of a timer and its time: `1:30`, `every 0:01`, `when at 0:10 of timeUp`, `until 20:00`, `stopwatch`.
    private func times(of timer: Value) throws(CommandError) -> String {
        let kind = try timer.text("kind")
        switch kind {
        case "when":
            let left = TimerStatus.length(try timer.number("leftMs"))
            return "when at \(left) of \(try timer.escapedText("of"))"
        case "until": return "until \(try timer.escapedText("until"))"
        case "stopwatch": return kind
        case "pendulum": return "every \(TimerStatus.length(try timer.number("totalMs")))"
        default: return TimerStatus.length(try timer.number("totalMs"))
        }
    }

    /// A table of the flow's transitions. `ON` is the event or signal that causes the transition.
    private func transitions(_ flow: Value) throws(CommandError) -> [String] {
        var table = Table(header: ["FROM", "ON", "TO", "EFFECTS"])
        for row in try flow.list("transitions") {
            let (from, to) = (try row.escapedText("from"), try row.escapedText("to"))
            let effects = try row.escapedTexts("effects").joined(separator: ", ")
            table.add([from, try row.escapedText("on"), "→ \(to)", effects])
        }
        return table.lines(terminal, indent: "  ")
    }
}
