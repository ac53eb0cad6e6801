import GameFlow
import Shell

/// Prints what does not work: the result of the method `alerts`.
extension Printer {
    /// Two lines for each alert: since when, what, of which node and session, and below what was not done. An alert that was
    /// acknowledged is not painted.
    func alerts(_ result: Value) throws(CommandError) -> [String] {
        let alerts = try result.list("alerts")
        var lines = alerts.isEmpty ? ["no alert"] : []
        for alert in alerts {
            let isAcknowledged = try alert.boolean("acked")
            let session = alert.find("session").map { ["@\(TerminalSafe.text($0))"] } ?? []
            let words =
                [ClockText.timeOfDay(try alert.number("sinceMs")), try alert.escapedText("kind")]
                + (alert.find("node").map { ["node \(TerminalSafe.text($0))"] } ?? [])
                + session + [try alert.escapedText("id")] + (isAcknowledged ? ["acknowledged"] : [])
            let text = try alert.escapedText("text")
            lines.append(words.joined(separator: "  "))
            lines.append("  " + (isAcknowledged ? text : terminal.paint(text, .red)))
        }
        if let note = result.find("note") { lines.append(TerminalSafe.text(note)) }
        return lines
    }
}
