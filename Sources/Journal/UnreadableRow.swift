/// The reason why the record of a row cannot be decoded: it may be damaged, or written by another
/// version.
public struct UnreadableRow: Error, Equatable, Sendable {
    public let why: String

    package init(why: String) { self.why = why }
}
