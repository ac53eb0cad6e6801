internal import Durability
internal import GameFlow
internal import JSON
internal import RPC
internal import Sessions

/// A connected peer that receives notifications, and whose output waits for durable rows.
protocol Client: Guest {
    var exchange: ServerContext { get }
    var mailbox: Subscriber { get }
    /// Whether its output will be written before the loop sleeps.
    var isToFlush: Bool { get set }
    /// Whether it will be continued when more rows are durable.
    var isToRelease: Bool { get set }
    var isGone: Bool { get }
    /// Writes output.
    func flush()
    /// More rows are durable, or the storage has failed.
    func release(_ outcome: GroupCommit.Outcome)
}

/// What all kinds of clients have in common.
extension Client {
    var source: Source { visitor.source }
    var outbox: ReplyBuffer { mailbox.outbox }

    func watches(_ target: WatchTarget) -> Bool { mailbox.watched.contains(target) }

    func forbade(_ error: RequestError) -> Bool { exchange.gatekeeper.forbade(error, visitor) }

    func release(_ outcome: GroupCommit.Outcome) {
        switch outcome {
        case .kept, .back: mailbox.release()
        case .failed(let error): mailbox.fail(error, self)
        }
        flush()
    }

    /// Drops the notifications that wait for a client that does not read, and tells it how much was
    /// dropped.
    func dropBacklog() {
        let dropped = mailbox.count
        exchange.tally.overruns += 1
        mailbox.dropNotices()
        mailbox.put(EncodedNotification("overrun") { $0.object([.init("dropped", dropped)]) })
        Log.write(
            .warning, "\(visitor.described): does not read; \(dropped) notifications dropped")
    }
}

extension Subscriber {
    /// Whether the backlog of a watcher that does not read exceeds the limit. One turn may produce
    /// more than a socket holds, so a watcher that reads has a higher limit.
    func hasOverrun(_ limits: ServerLimits, takes isTaking: Bool) -> Bool {
        guard !waitsForDisk else { return false }
        return backlog > limits.burstBytes || backlog > limits.backlogBytes && !isTaking
    }
}
