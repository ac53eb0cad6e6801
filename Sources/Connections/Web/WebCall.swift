package import Access
import Cluster
import Durability
import EventLoop
import GameFlow
import HTTP
import JSONCoding
import Net
package import RPC
package import Sessions
package import Timers

/// A request to `/v1/rpc` or `/v1/send`, as a `Client` that exists for one message. Its connection keeps it until the reply is
/// complete.
package final class WebCall: Responder {
    package private(set) var identity: Identity
    package private(set) var rights: Rights
    /// The arguments of `/v1/send` are texts, which must be converted.
    package var needsArgumentConversion: Bool { form == .resultOnly }
    /// An instant after which the request began to arrive. The request may have waited since for its turn.
    private let since: Instant
    package var sentSince: Instant? { context.sessionsTime(since) }
    package let context: ServerContext
    /// Whether the message comes from the players' page.
    private let isPlayersPage: Bool
    /// The connection; not used after `connectionClosed`.
    private unowned let connection: HTTPConnection
    /// Whether the client presented a valid token or certificate. If not, a forbidden request gets 401 instead of 403.
    private let hasCredential: Bool
    /// Limits the client's requests.
    private let bucket: RateLimiter.TokenBucket
    private let form: ReplyForm
    package let subscriber: Subscriber
    /// The outcome of the message, which determines the status of the reply.
    private var outcome = MessageOutcome.noReply
    private var isFirstMessage = true
    package var isFlushScheduled = false
    package var isReleaseScheduled = false
    /// Whether the reply was passed to the connection, or the connection is closed.
    package private(set) var isGone = false

    /// The form of the reply.
    package enum ReplyForm {
        /// A JSON-RPC reply.
        case message
        /// The result without the JSON-RPC envelope. An error is a JSON-RPC reply; a refusal by the session has the status 409.
        case resultOnly
    }

    /// The id of a request whose reply has the form `resultOnly`.
    static let resultOnlyID = 0

    package init(_ connection: HTTPConnection, from webIdentity: WebIdentity, form: ReplyForm) {
        (self.connection, context, self.form) = (connection, connection.context, form)
        since = connection.sentSince
        (identity, bucket, hasCredential) = (
            webIdentity.identity, webIdentity.bucket, webIdentity.hasCredential
        )
        isPlayersPage = webIdentity.isPlayersPage
        rights = Self.rights(of: identity, isPlayersPage: isPlayersPage, context)
        subscriber = Subscriber(context.sessions, context.protocolHandler.encoder)
    }

    /// Executes the request in `body`. The reply is sent when it is complete and the changes of the request are durable.
    package func execute(_ body: ArraySlice<UInt8>) {
        connection.setResponder(self)
        outcome = context.protocolHandler.answerJSON(body, from: self)
        // Begins to fetch the results that are delivered later, for example after a read from the disk.
        outbox.endExecution(for: self)
        flush()
    }

    package func storeFailed(_ error: RequestError) {
        // `fail` returns whether it has replaced the reply by the error.
        if subscriber.fail(error, self) { outcome.replace(by: .refused(error)) }
        flush()
    }

    /// Sends the reply if it is complete and durable.
    package func flush() {
        guard !isGone else { return }
        guard !outbox.isWaiting else { return context.releaseLater(self) }
        end()
        let status = WebStatus(of: outcome, hasCredential: hasCredential)
        switch outcome {
        case .error: connection.recent.refusals &+= 1
        case .refusedNotification(let error):
            connection.recent.refusals &+= 1
            if status == .noContent { break }
            return connection.reply(
                status, "application/json", JSONWriter.bytes { $0.reply(refusing: error) })
        case .noReply, .result, .batch: break
        }
        if status == .noContent { return connection.reply(status) }
        _ = outbox.send { bytes in
            // In the outbox each reply is a line.
            let isLine = bytes.last == UInt8(ascii: "\n")
            let reply = UnsafeRawBufferPointer(rebasing: isLine ? bytes.dropLast() : bytes[...])
            switch form {
            case .message: connection.reply(status, "application/json", reply)
            case .resultOnly: replyResultOnly(status, reply)
            }
            return bytes.count
        }
    }

    /// Sends a reply in the form `resultOnly`. `status` and `reply` are the status and the body of the reply in the form
    /// `message`.
    private func replyResultOnly(_ status: WebStatus, _ reply: UnsafeRawBufferPointer) {
        switch outcome {
        case .error(.refused), .error(.relayed):
            guard case .error(let error) = outcome else { break }
            let isUnknown = ["unknownSession", "unknownEvent"].contains(error.name)
            let status = isUnknown ? .notFound : status == .ok ? .conflict : status
            return connection.reply(status, "application/json", reply)
        default: break
        }
        guard reply.starts(with: Self.envelopeStart), reply.last == UInt8(ascii: "}") else {
            return connection.reply(status, "application/json", reply)
        }
        connection.reply(
            status, "application/json",
            UnsafeRawBufferPointer(
                rebasing: reply.dropFirst(Self.envelopeStart.count).dropLast()))
    }

    /// What precedes the result in a reply of the form `message`.
    private static let envelopeStart = Array(
        #"{"jsonrpc":"2.0","id":\#(resultOnlyID),"result":"#.utf8)

    package func connectionClosed() { end() }

    /// Ends the call: its reply is complete, or nobody can get it.
    private func end() {
        isGone = true
        subscriber.unwatchAll(self)
        context.router?.callerHasGone(self)
    }

    // MARK: Caller

    // The client receives one reply and no notifications. Therefore some methods that the protocols require do nothing.

    package func notify(_ notification: Notification) {}
    package func ended(_ session: SessionName) {}
    package func beginWatch(_ target: WatchTarget, _ missed: Sessions.Missed) {
        subscriber.beginWatch(target, .nothing, for: rights)
    }
    package func endWatch(_ target: WatchTarget) { subscriber.endWatch(target) }

    /// Counts each message of a batch except the first, which was counted as the HTTP request.
    package func countRequest() -> RequestError? {
        guard isFirstMessage else { return context.accountLimits.countRequest(bucket) }
        isFirstMessage = false
        return nil
    }

    package func countRefusal(byLimit limit: String) {
        context.accountLimits.count(limit, bucket.account)
    }

    package func deliver(_ ticket: Int, _ answer: DeferredResult.Outcome) {
        outcome.deliver(answer)
        outbox.deliver(ticket, answer)
        context.flushLater(self)
    }

    /// A token that a request of a batch presents applies to the following requests of the batch.
    package func authenticate(_ token: String) -> Bool {
        guard let name = context.authorizer.name(of: token) else { return false }
        identity.addToken(named: name)
        rights = Self.rights(of: identity, isPlayersPage: isPlayersPage, context)
        return true
    }

    /// The rights of an identity. A players' page has those of a player at most.
    private static func rights(
        of identity: Identity, isPlayersPage: Bool, _ context: ServerContext
    ) -> Rights {
        let rights = context.authorizer.rights(of: identity)
        return isPlayersPage ? rights.limitedToPlaying : rights
    }

    package func updateRights() {}
    package func close() {}
}
