import RPC
import Sessions

/// What a client is told that had to be asked for elsewhere.
extension Connection {
    func fulfil(_ ticket: Int, _ answer: DeferredResult.Answer) {
        guard phase != .closed else { return }
        outbox.fulfil(ticket, answer)
        exchange.flushLater(self)
    }

    func takeFile() -> PassedFile? { channel.takeFile() }
}
