/// Whose turn it is first when several have something to do at once. Whoever comes earlier here has to be brief: as
/// long as there is something to do for it, the others wait.
public enum EventPriority: Int32, CaseIterable, Sendable {
    /// Timers, signals, other threads, and who is on this machine.
    case first
    /// Whoever comes over the network: after each ten milliseconds of them it is looked whether somebody else has
    /// something to do. What libevent makes itself is as urgent as this.
    case second

    /// libevent's number for it.
    public var priority: Int32 { rawValue }
}
