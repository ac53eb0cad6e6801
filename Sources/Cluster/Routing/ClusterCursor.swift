import GameFlow

/// A position in the changes of each shard. Clients get a cursor as opaque text, in a page of sessions or in a notification. To
/// continue a watch of all sessions, a client sends this text as `since`.
package struct ClusterCursor: Equatable {
    /// The position in each shard, by the shard's number. In a shard without an entry, the position is 0.
    package var positions: [Int: Int] = [:]

    /// The maximum length of a cursor's text. The cursor of 256 shards needs less than 4096 bytes.
    private static let maxTextBytes = 8192
    /// The shard numbers that the text of a cursor may contain. A store has fewer shards.
    private static let shardNumbers = 0..<65_536

    package init(positions: [Int: Int] = [:]) { self.positions = positions }

    /// The sum of the positions: the number of changes of all shards up to the cursor.
    package var pos: Int {
        // A client can invent positions whose sum overflows. The overflow must not end the daemon.
        positions.values.reduce(0) { $0.addingReportingOverflow($1).partialValue }
    }

    /// Moves the cursor forward to this position in a shard. Does nothing if the cursor is there or beyond already.
    package mutating func advance(_ shard: Int, to pos: Int) {
        positions[shard] = max(positions[shard] ?? 0, pos)
    }

    /// Moves the cursor forward to the other cursor's position in each shard where that position is greater.
    package mutating func advance(to other: ClusterCursor) {
        positions.merge(other.positions) { max($0, $1) }
    }

    /// The cursor as text: `m`, then the number and the position of each shard, in base 36. In `m3.1a_7.2`, shard 3 has the
    /// position 1a, and shard 7 has the position 2.
    package var text: String { Self.text(positions.filter { $0.value > 0 }) }

    /// As `text`, and also with the shards whose position is 0. For another node, which must know these shards.
    package var textOfAllShards: String { Self.text(positions) }

    private static func text(_ positions: [Int: Int]) -> String {
        let parts = positions.sorted { $0.key < $1.key }
            .map { "\(String($0.key, radix: 36)).\(String($0.value, radix: 36))" }
        return "m" + parts.joined(separator: "_")
    }

    /// The cursor with an entry for each shard of the store, and no other.
    package func naming(shards shardCount: Int) -> ClusterCursor {
        var cursor = ClusterCursor()
        for shard in 0..<shardCount { cursor.positions[shard] = positions[shard] ?? 0 }
        return cursor
    }

    /// Parses the form of the property `text`; nil if the argument is not a cursor.
    package init?(_ text: String) {
        guard text.first == "m", text.utf8.count <= Self.maxTextBytes else { return nil }
        for part in text.dropFirst().split(separator: "_") {
            let numbers = part.split(separator: ".", omittingEmptySubsequences: false)
            guard numbers.count == 2, let shard = Int(numbers[0], radix: 36),
                let pos = Int(numbers[1], radix: 36), Self.shardNumbers ~= shard,
                0...Value.largest ~= pos
            else { return nil }
            positions[shard] = pos
        }
    }
}
