public import GameFlow

extension Value {
    /// Reads a JSON text; nil if it is malformed (see `JSONError`). Use this if the whole value is needed once: `JSONText`
    /// converts only requested nodes.
    public init?(json text: some Collection<UInt8>) {
        var json = JSONText()
        guard (try? json.read(Array(text)[...])) != nil else { return nil }
        self = json.value(at: JSONText.root)
    }
}
