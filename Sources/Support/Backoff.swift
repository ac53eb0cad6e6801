/// How long to wait before the next try of something that failed: twice as long each time in a row.
public struct Backoff: Sendable {
    /// What has worked for so long did not fail at once.
    public static let steady = Duration.seconds(2)

    private let first: Duration
    public let longest: Duration
    private var pause: Duration

    /// Waits for `first` after the first failure, and never for more than `longest`.
    public init(first: Duration = .milliseconds(250), longest: Duration = .seconds(10)) {
        (self.first, self.longest, pause) = (first, longest, first)
    }

    /// It worked: the next failure is a first one.
    public mutating func succeed() { pause = first }

    /// It failed; how long to wait now.
    public mutating func fail() -> Duration {
        defer { pause = min(pause + pause, longest) }
        return pause
    }
}
