import GameFlow
import RPC
import Shell

/// Prints the result of the method `sources`: the sources of events, which are devices and the connections to devices.
extension Printer {
    /// A table of the sources. If the request named one source (`isOneRequested`), two parts follow the table. The first part
    /// is the most recent refusal of an event of that source. The second part has the most recent inputs of that source that
    /// match no `map` line of the configuration.
    func sources(_ result: Value, isOneRequested: Bool) throws(CommandError) -> [String] {
        let sources = try result.list("sources")
        guard !sources.isEmpty else { return ["no source is configured"] }
        var table = Table(header: [
            "SOURCE", "KIND", "STATE", "HEARD", "LAST EVENT", "IN", "OUT", "EVENTS", "REFUSED",
            "DROPPED",
            "UNMATCHED",
        ])
        for source in sources { table.add(try row(of: source)) }
        var lines = table.lines(terminal)
        for source in sources where try source.escapedText("state") == "down" {
            guard source.find("problem") != nil else { continue }
            let problem =
                "\(try source.escapedText("source")): \(try source.escapedText("problem"))"
            lines.append(terminal.paint(problem, .red))
        }
        guard isOneRequested else { return lines }
        for source in sources { lines += try details(of: source) }
        return lines
    }

    /// The cells of one source, in the order of the table's header.
    private func row(of source: Value) throws(CommandError) -> [String] {
        var cells = [try source.escapedText("source"), try source.escapedText("kind")]
        let state = try source.escapedText("state")
        cells.append(
            source.find("forMs") == nil
                ? state : "\(state) for \(ClockText.length(try source.number("forMs")))")
        cells.append(
            source.find("heardMs") == nil
                ? "never" : "\(ClockText.length(try source.number("heardMs"))) ago")
        cells.append(try lastEvent(of: source))
        // The counts of received inputs, sent outputs, events that a session took, events that a session refused, dropped
        // inputs, and inputs that match no `map` line.
        for name in ["received", "sent", "taken", "refused", "dropped", "unmatched"] {
            cells.append("\(try source.number(name))")
        }
        return cells
    }

    /// The source's most recent event, its session, its outcome and its age, such as `buzz @main enter, 0:05 ago`.
    private func lastEvent(of source: Value) throws(CommandError) -> String {
        guard let last = source.find("lastEvent") else { return "none" }
        let event = "\(try last.escapedText("event")) @\(try last.escapedText("session"))"
        let ago = ClockText.length(try last.number("agoMs"))
        return "\(event) \(try last.escapedText("outcome")), \(ago) ago"
    }

    /// The files of an input device that was found by its name, the most recent refusal of an event of the source, and a table of the inputs that match no `map` line.
    private func details(of source: Value) throws(CommandError) -> [String] {
        var lines: [String] = []
        if source.find("file") != nil {
            lines.append("device: \(try source.escapedText("file"))")
        }
        if source.find("others") != nil {
            let others = try source.escapedTexts("others")
            lines.append(
                "devices with such a name that are not read: \(others.joined(separator: ", "))")
        }
        if source.find("repeated") != nil, case let count = try source.number("repeated"), count > 0
        {
            lines.append("repeated inputs: \(count)")
        }
        if source.find("lastRefusal") != nil {
            lines.append("last refusal: \(try source.escapedText("lastRefusal"))")
        }
        let inputs = try source.list("lastUnmatched")
        guard !inputs.isEmpty else { return lines }
        lines += ["", "The last inputs that match no `map` line:"]
        var table = Table(header: ["FROM", "INPUT", "WHEN"])
        for input in inputs {
            let ago = ClockText.length(try input.number("agoMs"))
            table.add([
                try input.escapedText("device"), try input.escapedText("input"), "\(ago) ago",
            ])
        }
        return lines + table.lines(terminal, indent: "  ")
    }
}
