import Keeping
import Sessions
import Wire

/// What a client is told once it is on the disk, and what is made of it when it never will be.
extension Connection {
    func release(_ outcome: Keeper.Outcome) {
        let sessions = server.sessions
        switch outcome {
        case .kept, .back: outbox.release(upTo: sessions.keptRow)
        case .failed(let error):
            notices.drop(after: sessions.keptRow)
            for target in outbox.fail(after: sessions.keptRow, error) {
                try? sessions.unwatch(target, by: self)
                unfollow(target)
            }
        }
        flush()
    }

    func fulfil(_ ticket: Int, _ answer: Later.Answer) {
        guard phase != .closed else { return }
        outbox.fulfil(ticket, answer)
        server.flushLater(self)
    }
}
