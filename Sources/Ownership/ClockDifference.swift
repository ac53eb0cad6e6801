/// The time by which a remote clock is ahead of the local clock. It is measured with a request to the remote machine.
///
/// The remote clock is read after the request is sent and before its answer is handled. On a busy machine these two instants
/// can be seconds apart, so a measurement gives only a range that contains the difference.
public struct ClockDifference: Equatable, Sendable {
    /// The lower end of the range that contains the difference.
    public let minimum: Duration
    /// The upper end of the range that contains the difference.
    public let maximum: Duration
    /// The value in the range that is nearest to the previous estimate; for the first measurement, the middle of the range.
    public let estimate: Duration

    /// Makes a measurement from three clock readings. `remote` is the reading of the remote clock. `before` and `after` are the
    /// readings of the local clock before the request and after its answer. `previous` is the previous measurement; nil for the
    /// first measurement. If the local clock was set back between its two readings, `after` counts as equal to `before`.
    public init(
        remote: Duration, before: Duration, after: Duration, previous: ClockDifference? = nil
    ) {
        (minimum, maximum) = (remote - max(before, after), remote - before)
        let middle = remote - (before + max(before, after)) / 2
        estimate =
            previous.map { [minimum, maximum] in min(max($0.estimate, minimum), maximum) } ?? middle
    }

    /// The part of the difference that the delay of the request does not explain. Zero if the delay can explain the whole
    /// difference.
    public var certainPart: Duration { max(minimum, .zero) + min(maximum, .zero) }
}
