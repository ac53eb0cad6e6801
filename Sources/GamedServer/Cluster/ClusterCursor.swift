import GameFlow

/// A position in the changes of each shard. Clients get it as opaque text.
struct ClusterCursor: Equatable {
    /// The position in each shard, by the shard's number. A shard without changes has no entry.
    var positions: [Int: Int] = [:]

    init() {}

    /// The sum of the positions: the number of changes of all shards up to the cursor.
    var pos: Int {
        positions.values.reduce(0) { $0.addingReportingOverflow($1).partialValue }
    }

    /// Moves the cursor to this position in a shard, unless the cursor is there or beyond already.
    mutating func advance(_ shard: Int, to pos: Int) {
        positions[shard] = max(positions[shard] ?? 0, pos)
    }

    /// Moves the cursor in each shard to the other cursor's position, if that position is greater.
    mutating func advance(to other: ClusterCursor) {
        positions.merge(other.positions) { max($0, $1) }
    }

    /// `m`, then each shard's number and position, both in base 36, such as `m3.1a_7.2`.
    var text: String {
        let parts = positions.filter { $0.value > 0 }.sorted { $0.key < $1.key }
            .map { "\(String($0.key, radix: 36)).\(String($0.value, radix: 36))" }
        return "m" + parts.joined(separator: "_")
    }

    /// Parses `text`; nil if it is not a cursor.
    init?(_ text: String) {
        guard text.first == "m", text.utf8.count <= 8192 else { return nil }
        for part in text.dropFirst().split(separator: "_") {
            let numbers = part.split(separator: ".", omittingEmptySubsequences: false)
            guard numbers.count == 2, let shard = Int(numbers[0], radix: 36),
                let pos = Int(numbers[1], radix: 36), 0..<65_536 ~= shard, 0...Value.largest ~= pos
            else { return nil }
            positions[shard] = pos
        }
    }
}
