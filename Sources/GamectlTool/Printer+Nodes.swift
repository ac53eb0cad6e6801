import GameFlow
import RPC
import Shell

/// Prints the nodes that share a store: the result of the method `nodes`.
extension Printer {
    /// A table of the nodes, warnings, the clocks' difference, and the newest moves of shards from one node to another.
    /// `RULES AND FLOWS` is a checksum of a node's configuration; nodes with the same configuration have the same one.
    func nodes(_ result: Value) throws(CommandError) -> [String] {
        var table = Table(header: ["NODE", "ADDRESS", "SHARDS", "LEASE", "RULES AND FLOWS"])
        for node in try result.list("nodes") {
            let isSelf = try node.boolean("self")
            let leaseSeconds = Double(try node.number("leaseMs")) / 1000
            table.add([
                try node.escapedText("node") + (isSelf ? " (this)" : ""),
                try node.escapedText("address"),
                "\(try node.number("shards"))", "\((leaseSeconds * 10).rounded() / 10) s",
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
        let skewMs = try result.number("skewMs")
        lines.append(
            "the database's clock is \(skewMs.magnitude) ms \(skewMs < 0 ? "behind" : "ahead of") this node's"
        )
        for move in try result.list("moves").suffix(Self.shownMoves) {
            // Empty if the node that answers knows no earlier owner of the shard.
            let from = try move.escapedText("from")
            let ago = ClockText.length(try move.number("agoMs"))
            lines.append(
                "shard \(try move.number("shard")) moved\(from.isEmpty ? "" : " from \(from)") to "
                    + "\(try move.escapedText("to")), \(ago) ago")
        }
        return lines
    }

    /// The number of moves of shards that are printed, the newest last.
    private static var shownMoves: Int { 8 }
}
