internal import GameFlow

/// The id of a Server-Sent Event, `instance:pos`.
public enum EventID {
    /// An id of this daemon whose number is not a position.
    public struct NotAPosition: Error, Equatable {
        public init() {}
    }

    public static func text(_ instance: String, _ pos: Int) -> String { "\(instance):\(pos)" }

    /// The position in an id of this daemon. Returns nil for an id of another daemon and for text that is
    /// not an id: the client then starts from the present. Throws if the instance is this one and the
    /// rest is not an integer from 0 to 2^53 − 1, the numbers that every client can hold exactly.
    public static func position(_ id: String, of instance: String) throws(NotAPosition) -> Int? {
        let parts = id.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == instance else { return nil }
        guard let pos = Int(parts[1]), 0...Value.largest ~= pos else { throw NotAPosition() }
        return pos
    }
}
