/// A limit that clients see: its name in `hello` and in the error `limit`, what it limits, and what happens
/// when it is reached.
public struct NamedLimit<Limits>: Sendable {
    public let name: String
    /// What is limited, such as "sessions that are open at once".
    public let subject: String
    /// What happens when the limit is reached.
    public let consequence: String
    /// Returns the limit's value, in milliseconds if the name ends in `Ms`.
    public let value: @Sendable (Limits) -> Int

    public init(
        _ name: String, _ subject: String, then consequence: String,
        value: @escaping @Sendable (Limits) -> Int
    ) {
        (self.name, self.subject, self.consequence) = (name, subject, consequence)
        self.value = value
    }
}
