/// The order in which the loop runs callbacks that are ready at the same time. Callbacks of an earlier priority
/// must be brief: callbacks of a later priority wait until no callback of an earlier priority is ready. The raw value is
/// the priority's number in libevent.
public enum EventPriority: Int32, CaseIterable, Sendable {
    /// Timers, signals, messages from other threads, and local clients.
    case first
    /// Network clients. After ten milliseconds of their callbacks the loop checks for callbacks of the first
    /// priority. Events that libevent itself creates have this priority.
    case second
}
