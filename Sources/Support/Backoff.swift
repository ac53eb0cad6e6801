/// The delay before the next attempt of an operation that failed. It doubles with each failure in a
/// row.
public struct Backoff: Sendable {
    /// Callers record a success when a connection or a process has worked for at least this time.
    public static let steadyDuration = Duration.seconds(2)

    private let first: Duration
    /// The maximum delay.
    public let longest: Duration
    /// The delay after the next failure, before `spread` makes it shorter.
    private var delay: Duration
    private let spread: RetrySpread

    /// The delay is `first` after the first failure, and at most `longest`. `spread` makes each delay shorter. It is for servers that
    /// many programs use, and not for devices of this machine.
    public init(
        first: Duration = .milliseconds(250), longest: Duration = .seconds(10),
        spread: RetrySpread = .none
    ) {
        (self.first, self.longest, delay, self.spread) = (first, longest, first, spread)
    }

    /// Records a success: the next delay is `first` again.
    public mutating func succeed() { delay = first }

    /// Records a failure, and returns the delay before the next attempt.
    public mutating func fail() -> Duration {
        defer { delay = min(delay + delay, longest) }
        return spread.shorten(delay)
    }
}
