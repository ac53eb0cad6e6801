/// By how much a remote clock is ahead of a local one, as requests measure it.
///
/// The remote clock is read between the instants at which the request is sent and its answer is handled. On a busy machine
/// these can be seconds apart, so a measurement says only in which range the difference is.
public struct ClockDifference: Equatable, Sendable {
    /// The range of the last measurement.
    public let least: Duration
    public let most: Duration
    /// The value in that range that is nearest to the estimate before it; at first its middle.
    public let estimate: Duration

    /// A measurement. `remote` is the time of the remote clock, `before` and `after` are those of the local one. `last` is the
    /// measurement before, if there was one.
    public init(
        remote: Duration, before: Duration, after: Duration, last: ClockDifference? = nil
    ) {
        (least, most) = (remote - max(before, after), remote - before)
        let middle = remote - (before + max(before, after)) / 2
        estimate = last.map { [least, most] in min(max($0.estimate, least), most) } ?? middle
    }

    /// The part of the difference that is not explained by the delay of the request; zero if the delay explains all of it.
    public var certain: Duration { max(least, .zero) + min(most, .zero) }
}
