/// Writes a number with its noun: `1 session`, `2 sessions`.
public enum CountText {
    /// The number and the noun, with an `s` unless the number is 1.
    public static func write(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}
