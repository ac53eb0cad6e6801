/// The number of an event in a stream, `instance:pos`.
public enum EventID {
    public static func text(_ instance: String, _ pos: Int) -> String { "\(instance):\(pos)" }

    /// The position that an event's id names; nil of another daemon's, or of nonsense.
    public static func position(_ id: String, of instance: String) -> Int? {
        let parts = id.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == instance, let pos = Int(parts[1]), pos >= 0 else {
            return nil
        }
        return pos
    }
}
