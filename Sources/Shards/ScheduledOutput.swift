package import Net
package import RPC
package import Sessions
import Support

/// A receiver of replies and notifications that are written at the end of a turn of the loop: a client, or the lane of a client
/// to a shard. All calls are on the loop's thread.
package protocol ScheduledOutput: AnyObject {
    /// Whether `flush` is called before the loop sleeps. Only `OutputSchedule` sets this property.
    var isFlushScheduled: Bool { get set }
    /// Whether the output waits for the next outcome of the store. Only `Shard` sets this property.
    var isReleaseScheduled: Bool { get set }
    /// The output that waits.
    var outbox: ReplyBuffer { get }
    /// Releases what is durable, and writes the output that may be sent now, as much as the receiver accepts.
    func writeDurableOutput()
    /// Called when the store of a shard has failed, and the rows that were not durable were rolled back.
    func storeFailed(_ error: RequestError, in shard: Shard)
}

/// The receivers whose output is written before the loop sleeps. Thus all notifications of a turn are written together, when
/// the sessions produce no more notifications in this turn.
package final class OutputSchedule {
    @exclusivity(unchecked) private var waiting = Deque<any ScheduledOutput>()

    package init() {}

    /// Whether no output waits.
    package var isEmpty: Bool { waiting.isEmpty }

    /// The receivers that wait, in the order of their calls of `flushLater`.
    package var receivers: [any ScheduledOutput] { waiting.elements }

    /// Writes the output at the end of the turn.
    package func flushLater(_ output: any ScheduledOutput) {
        if !output.isFlushScheduled {
            output.isFlushScheduled = true
            waiting.append(output)
        }
    }

    /// Writes the scheduled output, also what these writes schedule, until the time is over. The rest is written first in the
    /// next turn.
    package func flush(_ time: inout DeliveryTime) {
        while !time.isOver, let output = waiting.removeFirst() {
            output.isFlushScheduled = false
            output.writeDurableOutput()
            time.clientWasServed()
        }
    }
}
