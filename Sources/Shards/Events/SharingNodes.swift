package import Parts
package import Sessions
package import Timers

/// The name with which an event is sent. If it was chosen by the situation of the session, `entry` is the entry of then.
package typealias EventChoice = (name: String, entry: Int?)

/// The nodes that share the sessions with this process, as `DeviceEvents` needs them.
package protocol SharingNodes: AnyObject {
    /// Whether so many requests wait that no further event may be sent.
    var isFull: Bool { get }
    /// When the process began to run again after its last standstill. Events that were received before that are too old.
    var runsSince: Instant { get }
    /// Returns a request id that is unique among all nodes.
    func newID() -> String
    /// Calls `work` when all earlier requests to the session have ended. `work` calls `sendNext` once, when its request has
    /// ended.
    func enqueue(
        to session: SessionName, _ work: @escaping (_ sendNext: @escaping () -> Void) -> Void)
    /// Sends the event to the owner of its session, or waits until there is one. `choice` is given if a former owner has
    /// accepted the event with it, and it is not known whether the change is durable.
    func relay(
        _ event: ReceivedEvent, as choice: EventChoice?,
        _ done: @escaping (SentEvent.Outcome) -> Void)
}
