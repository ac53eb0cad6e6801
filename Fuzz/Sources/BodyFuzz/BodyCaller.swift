import Access
import GameFlow
import RPC
import Sessions

/// Whoever asks, for one request, as the dispatcher knows him.
final class BodyCaller: Caller {
    /// What he has shown, in its order.
    private(set) var badges: [Badge]
    /// With what each of his messages that were looked at was asked.
    private(set) var asked: [Badge] = []
    /// How often he was told that he may not.
    private(set) var forbidden = 0
    let outbox = ReplyBuffer()
    /// What the reply to his request says.
    var outcome = MessageOutcome.noReply
    let source = Source(.web, peer: .address("127.0.0.1:40000"))
    /// So many are answered; the others are too many.
    static let budget = 100

    init(_ badge: Badge) { badges = [badge] }

    var badge: Badge { badges.last! }
    var rights: Rights { badge.rights }

    func countRequest() -> RequestError? {
        asked.append(badge)
        return asked.count > Self.budget ? .limit(which: "requests", limit: Self.budget) : nil
    }

    func authenticate(_ token: String) -> Bool {
        guard let badge = Badge.of(token) else { return false }
        badges.append(badge)
        return true
    }

    func recordForbidden(_ error: RequestError) -> Bool {
        forbidden += 1
        return true
    }

    func deliver(_ ticket: Int, _ answer: DeferredResult.Answer) {
        outcome.deliver(answer)
        outbox.deliver(ticket, answer)
    }

    // MARK: watching, of which a request over HTTP hears nothing

    func notify(_ notice: Notification) {}
    func ended(_ session: SessionName) {}
    func follow(_ target: WatchTarget, _ missed: Sessions.Missed) {}
    func unfollow(_ target: WatchTarget) {}
    func watches(_ target: WatchTarget) -> Bool { false }
}
