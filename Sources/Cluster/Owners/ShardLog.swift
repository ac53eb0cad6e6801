package import Parts
import Support

/// Logs which shards this node took, lost and gave up. All shards that move within a second are in one line.
package struct ShardLog {
    /// The shards that this node took because their owner had released them, or had none.
    private var taken = 0
    /// The shards that this node took because the leases of their owners had ended.
    private var takenOver = 0
    /// The shards whose leases this node has lost.
    private var lost = 0
    /// The shards that this node has handed over, so that all nodes have equal shares.
    private var handedOver = 0

    /// The number of all moves since the start.
    package private(set) var moves = 0

    package init() {}

    package mutating func gained(wasReleased: Bool) {
        moves += 1
        if wasReleased { taken += 1 } else { takenOver += 1 }
    }

    package mutating func lost(wasDraining: Bool) {
        moves += 1
        if wasDraining { handedOver += 1 } else { lost += 1 }
    }

    /// A line about moves, with its level and its kind in the log.
    package struct Line: Equatable {
        package let level: LogLevel
        package let kind: LogKind
        package let text: String

        init(_ level: LogLevel, _ kind: LogKind, _ text: String) {
            (self.level, self.kind, self.text) = (level, kind, text)
        }
    }

    /// Returns the lines about the moves since the last call. `owned` is the number of shards of this node.
    package mutating func takeLines(owned: Int) -> [Line] {
        defer { (taken, takenOver, lost, handedOver) = (0, 0, 0, 0) }
        func shards(_ count: Int) -> String { CountText.write(count, "shard") }
        let end = "; this node has \(shards(owned)) now"
        var lines: [Line] = []
        if lost > 0 {
            lines.append(Line(.warning, .lease, "lost the leases of \(shards(lost))\(end)"))
        }
        if takenOver > 0 {
            let reason = takenOver == 1 ? "whose owner's lease" : "whose owners' leases"
            lines.append(
                Line(
                    .warning, .shard, "took over \(shards(takenOver)) \(reason) had ended\(end)"))
        }
        if taken > 0 {
            lines.append(Line(.info, .shard, "took \(shards(taken)) without an owner\(end)"))
        }
        if handedOver > 0 {
            lines.append(Line(.info, .shard, "handed over \(shards(handedOver))\(end)"))
        }
        return lines
    }
}
