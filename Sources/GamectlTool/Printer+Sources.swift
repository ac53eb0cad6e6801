import GameFlow
import RPC
import Shell

/// Prints the devices and the connections to them.
extension Printer {
    /// The devices and connections in a table. If the request named one of them (`isOneRequested`), the table is followed by
    /// the most recent refusal of that source, and its most recent inputs that match no `map` line of the configuration.
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
        for name in ["received", "sent", "taken", "refused", "dropped", "unmatched"] {
            cells.append("\(try source.number(name))")
        }
        return cells
    }

    private func lastEvent(of source: Value) throws(CommandError) -> String {
        guard let last = source.find("lastEvent") else { return "none" }
        let event = "\(try last.escapedText("event")) @\(try last.escapedText("session"))"
        let ago = ClockText.length(try last.number("agoMs"))
        return "\(event) \(try last.escapedText("outcome")), \(ago) ago"
    }

    private func details(of source: Value) throws(CommandError) -> [String] {
        var lines: [String] = []
        if source.find("lastRefusal") != nil {
            lines.append("last refusal: \(try source.escapedText("lastRefusal"))")
        }
        let inputs = try source.list("lastUnmatched")
        guard !inputs.isEmpty else { return lines }
        lines += ["", "The last inputs that match no line:"]
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
