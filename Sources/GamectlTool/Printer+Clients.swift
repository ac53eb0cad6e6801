import GameFlow
import Shell

/// Prints who is connected: the result of the method `clients`.
extension Printer {
    /// A table with a line for each connection.
    func clients(_ result: Value) throws(CommandError) -> [String] {
        var table = Table(header: [
            "id", "kind", "principal", "peer", "since", "role", "requests", "refusals", "unread",
            "held", "watches",
        ])
        let clients = try result.list("clients")
        for client in clients {
            var watches: [String] = []
            for watch in try client.list("watches") {
                let topics = try watch.escapedTexts("topics").joined(separator: ",")
                watches.append("\(try watch.escapedText("session")) (\(topics))")
            }
            if client.find("moreWatches") != nil {
                watches.append("and \(try client.number("moreWatches")) more")
            }
            var counts: [String] = []
            for name in ["requests", "refusals", "unreadBytes", "held"] {
                counts.append("\(try client.number(name))")
            }
            table.add(
                [
                    try client.escapedText("id"), try client.escapedText("kind"),
                    try client.escapedText("principal"), Self.peer(client.find("peer")),
                    ClockText.timeOfDay(try client.number("sinceMs")),
                    client.find("role").map { TerminalSafe.text($0) } ?? "-",
                ] + counts + [watches.joined(separator: " ")])
        }
        var lines = clients.isEmpty ? ["no client"] : table.lines(terminal)
        if try result.boolean("more") { lines.append("and more") }
        if let note = result.find("note") { lines.append(TerminalSafe.text(note)) }
        return lines
    }

    /// A process or an address.
    private static func peer(_ peer: Value?) -> String {
        if let process = peer?.find("pid") { return "pid \(TerminalSafe.text(process))" }
        return peer?.find("address").map { TerminalSafe.text($0) } ?? "-"
    }
}
