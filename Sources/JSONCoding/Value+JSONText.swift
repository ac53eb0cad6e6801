public import GameFlow

extension Value {
    /// Reads a JSON text; nil if it is malformed (see `JSONError`). For a text whose whole value is needed once;
    /// `JSONText` converts only the nodes that are asked for.
    public init?(json text: some Collection<UInt8>) {
        var json = JSONText()
        guard (try? json.read(Array(text)[...])) != nil else { return nil }
        self = json.value(at: JSONText.root)
    }
}
