/// The priority of callbacks that are ready at the same time. Callbacks of high priority must be brief, because the
/// others wait until none of them is ready. The raw value is the priority's number in libevent.
public enum EventPriority: Int32, CaseIterable, Sendable {
    /// Timers, signals, messages from other threads, and local clients.
    case high
    /// Network clients. After ten milliseconds of their callbacks the loop checks for callbacks of high priority. Events
    /// that libevent itself creates have normal priority.
    case normal
}
