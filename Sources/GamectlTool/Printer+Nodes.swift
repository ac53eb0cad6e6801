import GameFlow
import RPC
import Shell

/// Prints the nodes that share a store.
extension Printer {
    func nodes(_ result: Value) throws(CommandError) -> [String] {
        var table = Table(header: ["NODE", "ADDRESS", "SHARDS", "LEASE", "RULES AND FLOWS"])
        for node in try result.list("nodes") {
            let isSelf = try node.boolean("self")
            let lease = Double(try node.number("leaseMs")) / 1000
            table.add([
                try node.escapedText("node") + (isSelf ? " (this)" : ""),
                try node.escapedText("address"),
                "\(try node.number("shards"))", "\((lease * 10).rounded() / 10) s",
                try node.escapedText("rules"),
            ])
        }
        var lines = table.lines(terminal)
        let missing = try result.number("missing")
        if missing > 0 {
            let shardCount = try result.number("shards")
            lines.append(terminal.paint("\(missing) of \(shardCount) shards have no owner", .red))
        }
        if try result.boolean("differ") {
            lines.append(terminal.paint("the nodes' rules, flow files or `on` lines differ", .red))
        }
        let skew = try result.number("skewMs")
        lines.append("the database's clock is \(skew) ms ahead of this node's")
        let moves = try result.list("moves").suffix(8)
        for move in moves {
            let from = try move.escapedText("from")
            let ago = ClockText.length(try move.number("agoMs"))
            lines.append(
                "shard \(try move.number("shard")) moved\(from.isEmpty ? "" : " from \(from)") to "
                    + "\(try move.escapedText("to")), \(ago) ago")
        }
        return lines
    }
}
