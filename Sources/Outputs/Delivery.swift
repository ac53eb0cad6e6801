public import Sessions
public import Timers

/// A message that a change requests, with its target and the limits of its delivery.
public struct Output<Content> {
    /// Identifies the output, so that a target can recognise a repeated delivery: `INSTANCE:SESSION:POS:N`.
    public let id: String
    /// The name of the target. Outputs of one target are sent in order, one at a time.
    public let target: String
    /// Identifies the configuration line that requests the output: a number that is computed from its text.
    public let line: UInt64
    /// The number of the journal that contains the change: 0 for the only journal of a daemon, or the number of a shard on
    /// one of several nodes.
    public let journal: Int
    /// The change that requests the output; nil for an output whose delivery the journal does not record.
    public let origin: OutputOrigin?
    /// The instant at which the change was made, from which the age counts; nil to count it from `committedAt`.
    public private(set) var madeAt: Instant?
    /// The instant at which the change was committed, from which the times of the attempts count; nil until the commit.
    public internal(set) var committedAt: Instant?
    /// The age after which the output is given up.
    public let maxAge: Duration
    /// The time that an attempt may take.
    public let timeout: Duration
    /// Whether there is only one attempt.
    public let isOnce: Bool
    /// Whether the output is of low importance: few such outputs may wait, and none displaces another output.
    public let isMinor: Bool
    public let content: Content

    public init(
        id: String, target: String, line: UInt64, journal: Int = 0, origin: OutputOrigin? = nil,
        committed: Instant? = nil, maxAge: Duration = DeliveryLimit.maxAge,
        timeout: Duration = DeliveryLimit.timeout, isOnce: Bool = false, isMinor: Bool = false,
        content: Content
    ) {
        (self.id, self.target, self.line, self.origin) = (id, target, line, origin)
        self.journal = journal
        (committedAt, self.maxAge, self.timeout) = (committed, maxAge, timeout)
        (self.isOnce, self.isMinor, self.content) = (isOnce, isMinor, content)
    }

    /// Returns the output with the instant at which its change was made. `isCommitted` is true for an output of an earlier
    /// start, whose change is then treated as committed at that instant.
    public func made(at instant: Instant, isCommitted: Bool = false) -> Output {
        var output = self
        output.madeAt = instant
        if isCommitted { output.committedAt = instant }
        return output
    }
}

/// The change that asks for an output.
public struct OutputOrigin: Equatable, Sendable {
    public let session: SessionName
    /// The number of the change within its session.
    public let seq: Int
    public let key: DeliveryRecord.Key
    /// The number of the output among those of its change, from 1.
    public let number: Int

    public init(
        _ session: SessionName, seq: Int, _ key: DeliveryRecord.Key, number: Int
    ) {
        (self.session, self.seq, self.key, self.number) = (session, seq, key, number)
    }

    public func record(_ outcome: DeliveryRecord.Outcome) -> DeliveryRecord {
        DeliveryRecord(key, number: number, outcome)
    }
}

/// Limits of deliveries.
public enum DeliveryLimit {
    /// The age after which an output is given up, unless its line sets another age.
    public static let maxAge = Duration.seconds(10)
    /// The longest age that a line can set.
    public static let longestAge = Duration.seconds(3600)
    /// The time that an attempt may take, unless the kind of target has another limit.
    public static let timeout = Duration.seconds(5)
    /// The time that an attempt may take if the target is a program.
    public static let programTimeout = Duration.seconds(10)
    /// The number of outputs that may wait for a target. If more wait, the oldest are given up.
    public static let maxWaiting = 1000
    /// The number of minor outputs that may wait for a target. Further minor outputs are given up.
    public static let maxMinor = 16
    /// The times from the commit to each of the first attempts. After these attempts, there is one attempt in each period of
    /// `laterAttempts`.
    public static let attempts: [Duration] = [
        .zero, .seconds(1), .seconds(2), .seconds(5), .seconds(10),
    ]
    public static let laterAttempts = Duration.seconds(10)
}

/// The result of an attempt to deliver an output.
public enum DeliveryResult: Equatable, Sendable {
    case delivered
    /// The attempt failed and may be repeated.
    case failed(String)
    /// The output was refused; a repetition would fail, too.
    case rejected(String)
}

/// An output that is no longer tried, and the reason.
public struct GivenUpOutput<Content> {
    public let output: Output<Content>
    public let why: String
}
