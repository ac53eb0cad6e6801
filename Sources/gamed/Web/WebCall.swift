import Access
import Durability
import GameFlow
import HTTP
import RPC
import Sessions

/// A request to `/v1/rpc`: a peer that exists for one message.
final class WebCall: Client {
    private(set) var visitor: Identity
    private(set) var rights: Rights
    let exchange: ServerContext
    private let request: WebRequest
    private let hasCredential: Bool
    private let bucket: RateLimiter.TokenBucket
    private let done: (WebCall) -> Void
    let mailbox: Subscriber
    /// The outcome in the reply.
    private var outcome = MessageOutcome.noReply
    private var isFirst = true
    var isToFlush = false
    var isToRelease = false
    private(set) var isGone = false

    init(
        _ request: WebRequest, from asker: WebIdentity, _ exchange: ServerContext,
        done: @escaping (WebCall) -> Void
    ) {
        (self.request, self.exchange, self.done) = (request, exchange, done)
        (visitor, bucket, hasCredential) = (asker.visitor, asker.bucket, asker.hasCredential)
        rights = exchange.gatekeeper.rights(of: visitor)
        mailbox = Subscriber(exchange.sessions, exchange.conversation.encoder)
    }

    /// Executes the request. The reply is sent when it is complete and durable.
    func ask(_ body: [UInt8]) {
        outcome = exchange.conversation.answerJSON(body[...], from: self)
        outbox.fetch(for: self)
        flush()
    }

    /// More rows are durable, or the store has failed.
    func release(_ result: GroupCommit.Outcome) {
        switch result {
        case .kept, .back: mailbox.release()
        case .failed(let error):
            if mailbox.fail(error, self) { outcome.replace(by: .refused(error)) }
        }
        flush()
    }

    func flush() {
        guard !isGone else { return }
        guard !outbox.isWaiting else { return exchange.releaseLater(self) }
        isGone = true
        mailbox.unwatchAll(self)
        var reply = outbox.take()
        let status = WebStatus(of: outcome, hasCredential: hasCredential)
        if reply.last == 0x0A { reply.removeLast() }
        if status == .noContent {
            request.reply(status, nil, UnsafeRawBufferPointer(start: nil, count: 0))
        } else {
            request.reply(status, "application/json", reply)
        }
        done(self)
    }

    // MARK: Caller

    /// It receives one reply and no notifications.
    func notify(_ notice: Notification) {}
    func ended(_ session: SessionName) {}
    func follow(_ target: WatchTarget, _ missed: Sessions.Missed) {
        mailbox.follow(target, .nothing, for: rights)
    }
    func unfollow(_ target: WatchTarget) { mailbox.unfollow(target) }

    /// The first message of a batch was already counted as the HTTP request.
    func overdraws() -> RequestError? {
        guard isFirst else { return exchange.meter.spend(from: bucket, visitor.kind) }
        isFirst = false
        return nil
    }

    func fulfil(_ ticket: Int, _ answer: DeferredResult.Answer) {
        outcome.fulfil(answer)
        outbox.fulfil(ticket, answer)
        exchange.flushLater(self)
    }

    /// A token that is presented here applies to the rest of this message.
    func authenticate(_ token: String) -> Bool {
        guard let name = exchange.gatekeeper.name(of: token) else { return false }
        visitor.show(token: name)
        rights = exchange.gatekeeper.rights(of: visitor)
        return true
    }

    func review() {}
    func close() {}
}
