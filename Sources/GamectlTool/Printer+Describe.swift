import GameFlow
import Shell

/// Prints the results of `hello` and `describe`.
extension Printer {
    func hello(_ hello: Value) throws(CommandError) -> [String] {
        let limits = try hello.member("limits").members.map { TerminalSafe.pairs([$0]) }
        let name = terminal.paint(try hello.escapedText("name"), .bold)
        return ["\(name) \(try hello.escapedText("version"))"]
            + nameValueLines([
                ("protocol", ["\(try hello.number("protocol"))"]),
                ("instance", [try hello.escapedText("instance")]),
                ("clock", [try hello.escapedText("clock")]),
                ("flows", Table.wrap(separated(try hello.escapedTexts("flows")), width: 68)),
                ("methods", Table.wrap(separated(try hello.escapedTexts("methods")), width: 68)),
                ("limits", Table.wrap(limits, width: 68)),
            ])
    }

    func describe(_ flow: Value) throws(CommandError) -> [String] {
        var lines = ["flow \(terminal.paint(try flow.escapedText("flow"), .bold))"]
        lines += try section("STATE", ["DATA", "TIMERS"], flow.list("states")) {
            (state) throws(CommandError) in
            [try fields(state.list("data")), try timers(state)]
        }
        lines += try section("EVENT", ["ARGUMENTS"], flow.list("events")) {
            (event) throws(CommandError) in [try fields(event.list("args"))]
        }
        let signals = try flow.escapedTexts("signals")
        if !signals.isEmpty { lines += ["", "  " + terminal.paint("SIGNALS", .dim)] }
        lines += Table.wrap(separated(signals), width: 76).map { "  " + $0 }
        return lines + [""] + (try transitions(flow))
    }

    private func section(
        _ nameColumn: String, _ columns: [String], _ rows: [Value],
        _ cells: (Value) throws(CommandError) -> [String]
    ) throws(CommandError) -> [String] {
        var table = Table(header: [nameColumn] + columns)
        for row in rows { table.add([try row.escapedText("name")] + (try cells(row))) }
        return [""] + table.lines(terminal, indent: "  ")
    }

    private func fields(_ fields: [Value]) throws(CommandError) -> String {
        var texts: [String] = []
        for field in fields { texts.append(try self.field(field)) }
        return texts.joined(separator: ", ")
    }

    /// `level: integer`, `player?: string`, `to: here|there`
    private func field(_ field: Value) throws(CommandError) -> String {
        let values = field.find("values") == nil ? [] : try field.escapedTexts("values")
        let type = values.isEmpty ? try field.escapedText("type") : values.joined(separator: "|")
        let isOptional = field.find("optional") == .bool(true)
        return "\(try field.escapedText("name"))\(isOptional ? "?" : ""): \(type)"
    }

    private func timers(_ state: Value) throws(CommandError) -> String {
        var texts: [String] = try state.boolean("final") ? ["final"] : []
        for timer in try state.list("timers") {
            let every = try timer.text("kind") == "pendulum" ? "every " : ""
            let total = TimerStatus.length(try timer.number("totalMs"))
            texts.append("\(try timer.escapedText("fires")) \(every)\(total)")
        }
        return texts.joined(separator: ", ")
    }

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
