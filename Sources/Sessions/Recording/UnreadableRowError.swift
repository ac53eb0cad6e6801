public import Support

/// The reason why the record of a row cannot be decoded: the row may be damaged, or another version of gamed wrote it.
public struct UnreadableRowError: DescribedError, Equatable, Sendable {
    /// The reason. In this text, `it` and `its` mean the row.
    public let why: String

    package init(why: String) { self.why = why }
}
