public import Timers

/// Something to send because of a change, and the conditions for it.
public struct Output<Content> {
    /// Tells repeated deliveries of the same output: `INSTANCE:SESSION:POS:N`.
    public let id: String
    /// Outputs of one target are sent in order, one at a time.
    public let target: String
    /// The line of the configuration that asks for it.
    public let line: Int
    /// When its change was committed; attempts and its age count from then.
    public let committed: Instant
    /// After this age it is given up.
    public let maxAge: Duration
    /// The time that an attempt may take.
    public let timeout: Duration
    /// Whether there is only one attempt.
    public let isOnce: Bool
    public let content: Content

    public init(
        id: String, target: String, line: Int, committed: Instant,
        maxAge: Duration = DeliveryLimit.maxAge, timeout: Duration = DeliveryLimit.timeout,
        isOnce: Bool = false, content: Content
    ) {
        (self.id, self.target, self.line, self.committed) = (id, target, line, committed)
        (self.maxAge, self.timeout, self.isOnce) = (maxAge, timeout, isOnce)
        self.content = content
    }
}

/// Limits of deliveries.
public enum DeliveryLimit {
    /// The age after which an output is given up, unless its line has another.
    public static let maxAge = Duration.seconds(10)
    /// The longest age that a line can have.
    public static let longestAge = Duration.seconds(3600)
    /// The time that an attempt may take, unless its kind has another.
    public static let timeout = Duration.seconds(5)
    /// The number of outputs that may wait for a target. Beyond it the oldest are given up.
    public static let waiting = 1000
    /// When attempts start after the commit. After the last, there is one every `laterAttempts`.
    public static let attempts: [Duration] = [
        .zero, .seconds(1), .seconds(2), .seconds(5), .seconds(10),
    ]
    public static let laterAttempts = Duration.seconds(10)
}

/// How an attempt ended.
public enum DeliveryResult: Equatable, Sendable {
    case delivered
    /// It may be tried again.
    case failed(String)
}

/// An output that is not tried any more, and why.
public struct GivenUpOutput<Content> {
    public let output: Output<Content>
    public let why: String
}
