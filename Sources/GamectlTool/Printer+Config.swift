import GameFlow
import Shell

/// Prints the settings of a daemon: the result of the method `config`.
extension Printer {
    /// A table with a line for each value, and a sentence if values wait for a restart.
    func settings(_ result: Value) throws(CommandError) -> [String] {
        var table = Table(header: ["setting", "value", "from"])
        var pending = 0
        for setting in try result.list("settings") {
            let value = try setting.escapedText("value")
            let isPending = setting.find("pending") != nil
            if isPending { pending += 1 }
            let origin = try setting.escapedText("from")
            table.add([
                try setting.escapedText("name"), value.isEmpty ? "-" : value,
                isPending ? "\(origin), after a restart" : origin,
            ])
        }
        var lines = table.lines(terminal)
        if pending > 0 {
            lines.append(
                terminal.paint(
                    "some values wait for a restart: `systemctl restart gamed` applies them",
                    .yellow)
            )
        }
        return lines
    }
}
