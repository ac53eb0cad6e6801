public import Sessions
public import Timers

/// Something to send because of a change, and the conditions for it.
public struct Output<Content> {
    /// Tells repeated deliveries of the same output: `INSTANCE:SESSION:POS:N`.
    public let id: String
    /// Outputs of one target are sent in order, one at a time.
    public let target: String
    /// A number of the text of the line that asks for it.
    public let line: UInt64
    /// The number of the journal that has its change. A daemon with its own journal has only number 0; a node of several
    /// has one for each shard.
    public let journal: Int
    /// The change that asks for it; nil for an output that the journal does not record.
    public let origin: OutputOrigin?
    /// When its change was made; its age counts from then. Nil if that is when it was committed.
    public private(set) var made: Instant?
    /// When its change was committed; attempts count from then. Nil until it is.
    public internal(set) var committed: Instant?
    /// After this age it is given up.
    public let maxAge: Duration
    /// The time that an attempt may take.
    public let timeout: Duration
    /// Whether there is only one attempt.
    public let isOnce: Bool
    /// Whether it may not displace others, and only a few may wait.
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
        (self.committed, self.maxAge, self.timeout) = (committed, maxAge, timeout)
        (self.isOnce, self.isMinor, self.content) = (isOnce, isMinor, content)
    }

    /// The output of a change that was made at this instant; at an earlier start it was also committed then.
    public func made(at instant: Instant, isCommitted: Bool = false) -> Output {
        var output = self
        output.made = instant
        if isCommitted { output.committed = instant }
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
    /// The age after which an output is given up, unless its line has another.
    public static let maxAge = Duration.seconds(10)
    /// The longest age that a line can have.
    public static let longestAge = Duration.seconds(3600)
    /// The time that an attempt may take, unless its kind has another.
    public static let timeout = Duration.seconds(5)
    /// The time that a program may take.
    public static let programTimeout = Duration.seconds(10)
    /// The number of outputs that may wait for a target. Beyond it the oldest are given up.
    public static let waiting = 1000
    /// The number of minor outputs that may wait for a target. Beyond it further ones are given up.
    public static let minor = 16
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
    /// It need not be tried again.
    case rejected(String)
}

/// An output that is not tried any more, and why.
public struct GivenUpOutput<Content> {
    public let output: Output<Content>
    public let why: String
}
