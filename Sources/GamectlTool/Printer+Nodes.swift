import GameFlow
import RPC
import Shell

/// Prints the nodes that share a store: the result of the method `nodes`.
extension Printer {
    /// A table of the nodes, warnings, the clocks' difference, and the newest moves of shards from one node to another.
    /// `RULES AND FLOWS` is a checksum of a node's configuration; nodes with the same configuration have the same one.
    func nodes(_ result: Value) throws(CommandError) -> [String] {
        var table = Table(header: [
            "NODE", "ADDRESS", "SHARDS", "LEASE", "BUILD", "RULES AND FLOWS",
        ])
        for node in try result.list("nodes") {
            let isSelf = try node.boolean("self")
            let leaseSeconds = Double(try node.number("leaseMs")) / 1000
            table.add([
                try node.escapedText("node") + (isSelf ? " (this)" : ""),
                try node.escapedText("address"),
                "\(try node.number("shards"))", "\((leaseSeconds * 10).rounded() / 10) s",
                // An older daemon does not tell its build.
                node.find("build").map(TerminalSafe.text) ?? "",
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
        if let line = try formatLine(result) { lines.append(line) }
        // An older daemon does not tell weaknesses.
        let weak = result.find("weak") == nil ? [] : try result.escapedTexts("weak")
        if !weak.isEmpty {
            let why = weak.joined(separator: "; ")
            lines.append(
                terminal.paint("the database may lose acknowledged changes: \(why)", .red))
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

    /// What the operator should know about the format of rows; nil if the nodes write the newest format that they read. A daemon
    /// that is older than this program does not tell formats.
    private func formatLine(_ result: Value) throws(CommandError) -> String? {
        guard result.find("format") != nil else { return nil }
        let format = try result.number("format")
        var newest = format
        for node in try result.list("nodes") { newest = max(newest, try node.number("format")) }
        if format == newest { return nil }
        let older = try result.escapedTexts("older")
        return older.isEmpty
            ? "all nodes read format \(newest) of rows: `gamectl nodes switch` lets them write it"
            : "rows have format \(format); these nodes read no newer one: "
                + older.joined(separator: ", ")
    }
}
