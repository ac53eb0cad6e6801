/// Why what happened cannot be read from a row: it may have been written by another version, or by a disk.
public struct UnreadableRow: Error, Equatable, Sendable {
    public let why: String

    package init(why: String) { self.why = why }
}
