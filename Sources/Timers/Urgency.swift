/// Whose turn it is first when several have something to do at once. Whoever comes earlier here has to be brief: as
/// long as there is something to do for it, the others wait.
public enum Urgency: Int32, CaseIterable, Sendable {
    /// Timers, signals, other threads, and who is on this machine.
    case first
    /// Whoever comes over the network. What libevent makes itself is as urgent as this.
    case second
    /// What may wait for the others.
    case last

    /// libevent's number for it.
    public var priority: Int32 { rawValue }
}
