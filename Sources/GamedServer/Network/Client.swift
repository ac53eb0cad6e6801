import Durability
import GameFlow
import JSONCoding
import RPC
import Sessions

/// A connected caller that receives notifications, and whose output waits for durable rows.
protocol Client: AuthorizedCaller, RoutedCaller {
    var context: ServerContext { get }
    var subscriber: Subscriber { get }
    /// Whether `flush` is called before the loop sleeps.
    var isFlushScheduled: Bool { get set }
    /// Whether `storageChanged` is called when more rows are durable.
    var isReleaseScheduled: Bool { get set }
    /// The client's lanes to the owners of sessions, if several nodes share the store.
    var routedClient: RoutedClient? { get set }
    /// Writes output.
    func flush()
    /// Called when more rows are durable, or when the storage has failed or works again.
    func storageChanged(_ outcome: GroupCommit.Outcome)
}

/// The implementation that all kinds of clients share.
extension Client {
    var source: Source { identity.source }
    var outbox: ReplyBuffer { subscriber.outbox }

    func receive(_ notification: EncodedNotification) {
        guard !isGone else { return }
        subscriber.add(notification)
        context.flushLater(self)
    }

    func watches(_ target: WatchTarget) -> Bool { subscriber.watched.contains(target) }

    func reportForbidden(_ error: RequestError) -> Bool {
        context.authorizer.reportForbidden(error, identity)
    }

    func storageChanged(_ outcome: GroupCommit.Outcome) {
        switch outcome {
        case .durable, .recovered: subscriber.release()
        case .failed(let error): subscriber.fail(error, self)
        }
        flush()
    }

    /// Drops the notifications that wait because the client does not read, and tells the client how many were dropped.
    func dropBacklog() {
        let dropped = subscriber.count
        context.counters.overruns += 1
        subscriber.dropNotifications()
        subscriber.add(EncodedNotification("overrun") { $0.object([.init("dropped", dropped)]) })
        Log.write(
            .warning, "\(identity.logDescription): does not read; \(dropped) notifications dropped")
    }
}

extension Subscriber {
    /// Whether the waiting notifications exceed the limit. `isReading` says whether the client reads its output now. If so, the
    /// limit is higher, because one turn of the loop may produce more than a socket holds. While the output waits for the disk,
    /// the result is false, because the client is not the cause of the backlog.
    func hasOverrun(_ limits: ServerLimits, isReading: Bool) -> Bool {
        guard !waitsForDisk else { return false }
        return backlog > limits.burstBytes || backlog > limits.backlogBytes && !isReading
    }
}
