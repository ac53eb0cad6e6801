/// A position in the sequence of all changes, as an opaque text. A client passes the cursor back to continue a subscription
/// after this position.
///
/// A daemon with a store of its own writes this cursor, which has one `pos`. Nodes that share a store write a `ClusterCursor`,
/// which has a position for each shard. So clients must not interpret a cursor.
public struct Cursor: Equatable, Sendable {
    /// The `pos` of a change; a watch that continues at the cursor begins with the next change.
    public let pos: Int

    public init(_ pos: Int) { self.pos = pos }

    /// Parses a cursor; nil if this daemon cannot have written the text.
    public init?(_ text: String) {
        // The letter `c` and at most 19 digits. The last comparison refuses other spellings, such as leading zeros.
        guard text.utf8.first == UInt8(ascii: "c"), text.utf8.count <= 20,
            let pos = Int(text.dropFirst()), pos >= 0, Cursor(pos).text == text
        else { return nil }
        self.pos = pos
    }

    /// The cursor as clients get it: `c` and the `pos`.
    public var text: String { "c\(pos)" }
}
