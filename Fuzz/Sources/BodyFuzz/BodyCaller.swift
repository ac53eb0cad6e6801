import GameFlow
import RPC
import Sessions

/// The caller of the JSON-RPC requests in the body of one HTTP request, for the dispatcher.
final class BodyCaller: Caller {
    /// The identity of the HTTP request, and then the identity of each valid token of an `auth` request, in order.
    private(set) var identities: [TestIdentity]
    /// The identity with which each request was evaluated, in order.
    private(set) var identitiesOfRequests: [TestIdentity] = []
    /// The number of errors `forbidden` that the dispatcher has reported.
    private(set) var forbiddenCount = 0
    let outbox = ReplyBuffer()
    /// The kind of the reply to the HTTP request; its text is in `outbox`.
    var outcome = MessageOutcome.noReply
    let source = Source(.web, peer: .address("127.0.0.1:40000"))
    /// The number of requests to answer; further ones exceed the rate limit.
    static let budget = 100

    init(_ identity: TestIdentity) { identities = [identity] }

    var identity: TestIdentity { identities.last! }
    var rights: Rights { identity.rights }

    func countRequest() -> RequestError? {
        identitiesOfRequests.append(identity)
        return identitiesOfRequests.count > Self.budget
            ? .limit(which: "requests", limit: Self.budget) : nil
    }

    func authenticate(_ token: String) -> Bool {
        guard let identity = TestIdentity.of(token) else { return false }
        identities.append(identity)
        return true
    }

    func reportForbidden(_ error: RequestError) -> Bool {
        forbiddenCount += 1
        return true
    }

    func deliver(_ ticket: Int, _ answer: DeferredResult.Outcome) {
        outcome.deliver(answer)
        outbox.deliver(ticket, answer)
    }

    // MARK: watching, which an HTTP request does not do

    func notify(_ notice: Notification) {}
    func ended(_ session: SessionName) {}
    func beginWatch(_ target: WatchTarget, _ missed: Sessions.Missed) {}
    func endWatch(_ target: WatchTarget) {}
    func watches(_ target: WatchTarget) -> Bool { false }
}
