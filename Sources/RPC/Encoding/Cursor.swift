/// A place in the sequence of all changes, as a text that clients hand back: what they watch goes on behind it.
///
/// On one machine it is a position. Clients may not look into it: with several machines it names one position each.
public struct Cursor: Equatable, Sendable {
    public let pos: Int

    public init(_ pos: Int) { self.pos = pos }

    /// Reads a cursor; nil if the text is not one of this daemon's.
    public init?(_ text: String) {
        guard text.utf8.first == UInt8(ascii: "c"), text.utf8.count <= 20,
            let pos = Int(text.dropFirst()), pos >= 0, Cursor(pos).text == text
        else { return nil }
        self.pos = pos
    }

    public var text: String { "c\(pos)" }
}
