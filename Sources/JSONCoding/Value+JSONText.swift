public import GameFlow

extension Value {
    /// Reads a JSON text; nil if it is malformed or nested too deep, see `JSONError`. If only parts of the text are needed, use
    /// `JSONText`, which converts only the requested nodes.
    public init?(json text: some Collection<UInt8>) {
        var json = JSONText()
        guard (try? json.read(Array(text)[...])) != nil else { return nil }
        self = json.value(at: JSONText.root)
    }
}
