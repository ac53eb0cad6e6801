import Access
import EventLoop
import GameFlow
import JSONCoding
import Parts
import RPC
import Support
package import Timers

/// A client over a connection of its own, whose notifications wait if it does not read. `Connection` and `WebStream` conform.
package protocol StreamingClient: Client {
    /// The number of bytes that were written, counted on without an end.
    var writtenBytes: Int { get }
    /// Before an overrun, runs until it is known whether the client reads. After it, runs until the connection is closed even if
    /// the client has not read the remaining output.
    var graceTimer: Alarm { get set }
    /// Whether the client can still get notifications; false after `end`.
    var acceptsNotifications: Bool { get }
    /// Accepts no further request or notification. The connection closes when the remaining output was sent.
    func end()
}

extension StreamingClient {
    /// Ends the connection if too many notifications wait. The limit is `backlogBytes` for a client that does not read: for the time
    /// `readPatience`, its backlog has not become less, and it has taken less than `backlogBytes`. For another client the limit is
    /// `burstBytes`, which is higher: one turn of the loop can produce more output than a socket holds, even if the client reads
    /// all the time. Call it after each attempt to write.
    func checkBacklog() {
        guard isOverLimit else { return }
        if subscriber.backlog > context.limits.burstBytes { return endAfterOverrun() }
        guard !graceTimer.isSet else { return }
        let (backlog, written) = (subscriber.backlog, writtenBytes)
        // The write may close the connection, and so release this object.
        graceTimer.set(on: context.loop, context.limits.readPatience) { [weak self] in
            guard let self else { return }
            flush()
            let taken = writtenBytes &- written
            if isOverLimit, subscriber.backlog >= backlog, taken < context.limits.backlogBytes {
                endAfterOverrun()
            }
        }
    }

    /// Whether more than `backlogBytes` wait for the client to read. While the output waits for the disk, the result is false,
    /// because the client did not cause the backlog.
    private var isOverLimit: Bool {
        subscriber.backlog > context.limits.backlogBytes && !subscriber.waitsForDisk
            && acceptsNotifications
    }

    /// Drops the backlog, sends a message that says how much was dropped, and ends the connection. The connection closes when
    /// the client has read that message, at the latest after the limit `overrunGrace`.
    private func endAfterOverrun() {
        dropBacklog()
        graceTimer.set(on: context.loop, context.limits.overrunGrace) { [unowned self] in
            close()
        }
        end()
        context.flushLater(self)
    }

    /// Drops the notifications that wait because the client does not read. Tells the client how many were dropped, by the
    /// notification `overrun`.
    private func dropBacklog() {
        let dropped = subscriber.count
        subscriber.dropNotifications()
        subscriber.add(EncodedNotification("overrun") { $0.object([.init("dropped", dropped)]) })
        context.accountLimits.report(
            "backlogBytes", identity.account,
            "\(identity.logDescription): does not read; \(CountText.write(dropped, "notification")) dropped"
        )
    }
}
