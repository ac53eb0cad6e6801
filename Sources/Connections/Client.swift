package import Access
package import Cluster
package import GameFlow
import JSONCoding
package import Net
import Parts
package import RPC
package import Sessions
package import Shards
import Support

/// A connected caller that receives notifications. Its output waits for durable rows. All calls are on the loop's thread. These
/// types conform:
/// - `Connection`: a connection of the protocol in lines
/// - `WebCall`: a call over HTTP
/// - `WebStream`: an event stream over HTTP, a watcher like a `Connection` that watches
/// - `RelayedClient`: a client of another node
package protocol Client: AuthorizedCaller, RoutableClient, ScheduledOutput {
    var context: ServerContext { get }
    /// The client's watches and its ordered output.
    var subscriber: Subscriber { get }
    /// Writes the output that may be sent now, as much as the client accepts.
    func flush()
    /// Called when the store has failed, and the rows that were not durable were rolled back.
    func storeFailed(_ error: RequestError)
}

/// The members that all kinds of clients implement in the same way.
extension Client {
    package var source: Source { identity.source }
    package var outbox: ReplyBuffer { subscriber.outbox }

    package func receive(_ notification: EncodedNotification) {
        guard !isGone else { return }
        subscriber.add(notification)
        context.flushLater(self)
    }

    package func watches(_ target: WatchTarget) -> Bool { subscriber.watched.contains(target) }

    /// Logs a forbidden request. Returns whether the history records the request.
    package func reportForbidden(_ error: RequestError) -> Bool {
        context.authorizer.reportForbidden(error, identity)
    }

    package func writeDurableOutput() {
        subscriber.release()
        flush()
    }

    /// With several shards, what waits for rows is in the lanes to these shards.
    package func storeFailed(_ error: RequestError, in shard: Shard) {
        if !isGone, context.shards.only === shard { storeFailed(error) }
    }

    package func storeFailed(_ error: RequestError) {
        subscriber.fail(error, self)
        flush()
    }

    /// Writes output to the client's channel, up to the limit for a turn and as much as the channel accepts. Returns the number of
    /// written bytes; nil if the connection is lost.
    @inline(__always) package func writeOutput(to channel: any Channel) -> Int? {
        let subscriber = subscriber
        var transfer = Transfer.bytes(0)
        var written = max(0, subscriber.sendOnlyNotification { channel.write($0, &transfer) })
        while case .bytes = transfer, subscriber.hasOutput {
            // Moves waiting notifications to the outbox.
            subscriber.fill(upTo: context.limits.notificationBytes, for: rights)
            guard outbox.sendable > 0, written < context.limits.writeBytesPerTurn else { break }
            written += max(0, outbox.send { channel.write($0, &transfer) })
            if outbox.unsent == 0 { outbox.recycle() }
        }
        if transfer == .broken { return nil }
        if subscriber.hasOutput { outbox.recycle(above: context.limits.unsentBytes) }
        return written
    }
}
