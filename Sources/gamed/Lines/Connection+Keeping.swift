import Keeping
import Sessions
import Wire

/// What a client is told once it is on the disk, and what is made of it when it never will be.
extension Connection {
    func release(_ outcome: Keeper.Outcome) {
        switch outcome {
        case .kept, .back: mailbox.release()
        case .failed(let error): mailbox.fail(error, self)
        }
        flush()
    }

    func watches(_ target: WatchTarget) -> Bool { mailbox.watched.contains(target) }

    func fulfil(_ ticket: Int, _ answer: Later.Answer) {
        guard phase != .closed else { return }
        outbox.fulfil(ticket, answer)
        exchange.flushLater(self)
    }
}
