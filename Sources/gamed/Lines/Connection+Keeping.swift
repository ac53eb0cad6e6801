import RPC
import Sessions

/// Deferred results, and files that the client has passed.
extension Connection {
    func fulfil(_ ticket: Int, _ answer: DeferredResult.Answer) {
        guard phase != .closed else { return }
        outbox.fulfil(ticket, answer)
        exchange.flushLater(self)
    }

    func takeFile() -> PassedFile? { channel.takeFile() }
}
