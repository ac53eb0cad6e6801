/// The delay before the next attempt of an operation that failed. It doubles with each failure in a
/// row.
public struct Backoff: Sendable {
    /// A connection or a process that has worked for this long counts as a success.
    public static let steadyDuration = Duration.seconds(2)

    private let first: Duration
    public let longest: Duration
    private var delay: Duration

    /// The delay is `first` after the first failure, and at most `longest`.
    public init(first: Duration = .milliseconds(250), longest: Duration = .seconds(10)) {
        (self.first, self.longest, delay) = (first, longest, first)
    }

    /// Records a success: the next delay is `first` again.
    public mutating func succeed() { delay = first }

    /// Records a failure, and returns the delay before the next attempt.
    public mutating func fail() -> Duration {
        defer { delay = min(delay + delay, longest) }
        return delay
    }
}
