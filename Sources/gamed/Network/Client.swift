import Durability
import GameFlow
import JSON
import RPC
import Sessions

/// A guest that is told things as they happen, and waits for the disk.
protocol Client: Guest {
    var exchange: ServerContext { get }
    var mailbox: Subscriber { get }
    /// Whether it is written to before the loop sleeps.
    var isToFlush: Bool { get set }
    /// Whether it goes on when the disk has caught up.
    var isToRelease: Bool { get set }
    var isGone: Bool { get }
    /// Writes what there is to write.
    func flush()
    /// The disk has caught up, or has failed.
    func release(_ outcome: GroupCommit.Outcome)
}

/// What is the same whatever way it came.
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

    /// What waits for one that takes nothing goes, and it is told how much that was.
    func dropBacklog() {
        let dropped = mailbox.count
        exchange.tally.overruns += 1
        mailbox.dropNotices()
        mailbox.put(EncodedNotification("overrun") { $0.object([.init("dropped", dropped)]) })
        Log.write(
            .warning, "\(visitor.described): does not read; \(dropped) notifications dropped")
    }
}
