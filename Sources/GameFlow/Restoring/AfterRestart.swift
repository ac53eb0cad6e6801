/// The behaviour of a timer when its session is restored after the daemon was down.
public enum AfterRestart: String, Sendable, CaseIterable {
    /// The downtime counts: the timer fires at its deadline, or immediately if the deadline has passed.
    case deadline
    /// The downtime does not count: the timer continues with its remaining time.
    case remaining
    /// The timer starts again with its full duration.
    case restart
    /// The timer is not set again.
    case drop
}
