public import Sessions
public import Timers

/// A message to a device or a program, with its target and the limits of its delivery. A change requests it, or another
/// occasion, such as a stuck session. `Content` is the type of the message.
public struct Output<Content> {
    /// Identifies the output, so that a target can recognise a repeated delivery: `INSTANCE:SESSION:POS:N`.
    public let id: String
    /// The name of the target. Outputs of one target are sent in order, one at a time.
    public let target: String
    /// Identifies the configuration line that requests the output: a number that is computed from the line's text.
    public let line: UInt64
    /// The number of the journal that contains the change: 0 for the only journal of a daemon, or the number of a shard on
    /// one of several nodes.
    public let journal: Int
    /// What requests the output; nil for an output whose delivery the journal does not record.
    public let origin: OutputOrigin?
    /// The instant at which the change was made, from which the age counts; nil to count it from `committedAt`.
    public private(set) var madeAt: Instant?
    /// The instant at which the change was committed, from which the times of the attempts count; nil until the commit.
    public internal(set) var committedAt: Instant?
    /// The age after which the output is given up.
    public let maxAge: Duration
    /// The time that an attempt may take.
    public let timeout: Duration
    /// Whether only one attempt is made to send the output.
    public let isOnce: Bool
    /// Whether the output is of low importance. Only a few minor outputs may wait for a target, and a minor output never
    /// displaces another output.
    public let isMinor: Bool
    /// What is sent. This module only passes it on.
    public let content: Content

    /// `committed` is the instant of the commit if it is known already.
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

    /// Returns a copy in which `madeAt` is set. If `isCommitted` is true, the change also counts as committed at this instant.
    /// This is for an output of an earlier start of the daemon.
    public func made(at instant: Instant, isCommitted: Bool = false) -> Output {
        var output = self
        output.madeAt = instant
        if isCommitted { output.committedAt = instant }
        return output
    }
}

/// What asks for an output: a change, or the session itself, which is stuck after a change.
public struct OutputOrigin: Equatable, Sendable {
    public let session: SessionName
    /// The `seq` of the change; 0 if the session could not be restored.
    public let seq: Int
    /// Identifies the output in the records of the journal.
    public let key: DeliveryRecord.Key
    /// The number of the output among the outputs of its change, from 1.
    public let number: Int

    public init(
        _ session: SessionName, seq: Int, _ key: DeliveryRecord.Key, number: Int
    ) {
        (self.session, self.seq, self.key, self.number) = (session, seq, key, number)
    }

    /// The record of the output's outcome, for the journal.
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
    /// The maximum number of outputs that wait for a target. If more wait, the oldest are given up.
    public static let maxWaiting = 1000
    /// The maximum number of minor outputs that wait for a target. Further minor outputs are given up.
    public static let maxMinorWaiting = 16
    /// The times from the commit to each of the first attempts. After these attempts, there is one attempt in each
    /// `laterAttemptPeriod`.
    public static let attemptTimes: [Duration] = [
        .zero, .seconds(1), .seconds(2), .seconds(5), .seconds(10),
    ]
    public static let laterAttemptPeriod = Duration.seconds(10)
}

/// The result of an attempt to deliver an output.
public enum DeliveryResult: Equatable, Sendable {
    case delivered
    /// The attempt failed and may be repeated. The text is the reason.
    case failed(String)
    /// The target refused the output, and wants no further outputs of its line. The text is the reason.
    case rejected(String)
    /// The output cannot be delivered, and a repetition would not change this. Later outputs of the line may be delivered. The
    /// text is the reason.
    case impossible(String)

    /// `failure` is the reason of a failed attempt; nil if the output was delivered.
    package init(failure: String?) { self = failure.map { .failed($0) } ?? .delivered }

    /// The reason why the output was not delivered; nil if it was.
    package var why: String? {
        switch self {
        case .delivered: nil
        case .failed(let why), .rejected(let why), .impossible(let why): why
        }
    }
}

/// An output that is no longer tried, and the reason.
public struct GivenUpOutput<Content> {
    public let output: Output<Content>
    /// A sentence for operators.
    public let why: String
}
