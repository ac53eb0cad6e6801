/// The priority of callbacks that are ready at the same time. Callbacks of high priority must be brief, because
/// callbacks of normal priority wait until no callback of high priority is ready. The raw value is the priority's number
/// in libevent.
public enum EventPriority: Int32, CaseIterable, Sendable {
    /// Timers, signals, messages from other threads, and local clients.
    case high
    /// Network clients. When callbacks of normal priority have run for ten milliseconds, the loop looks for callbacks of
    /// high priority. Events that libevent itself creates have normal priority.
    case normal
}
