/// A position in the sequence of all changes, as opaque text. A client passes it back to continue a
/// subscription after that position.
///
/// A daemon with a store of its own writes a `pos`. Clients must not interpret it, because the cursor of several
/// nodes has one position for each shard.
public struct Cursor: Equatable, Sendable {
    public let pos: Int

    public init(_ pos: Int) { self.pos = pos }

    /// Parses a cursor; nil if this daemon cannot have written the text.
    public init?(_ text: String) {
        guard text.utf8.first == UInt8(ascii: "c"), text.utf8.count <= 20,
            let pos = Int(text.dropFirst()), pos >= 0, Cursor(pos).text == text
        else { return nil }
        self.pos = pos
    }

    public var text: String { "c\(pos)" }
}
