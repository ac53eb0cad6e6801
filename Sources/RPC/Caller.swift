public import GameFlow
public import Sessions
public import Support
public import Timers

/// Who makes requests: a client, or this node itself.
public protocol Requester: AnyObject {
    /// The source that is recorded with each change that the caller causes.
    var source: Source { get }
    /// The caller's rights.
    var rights: Rights { get }
    /// Whether the dispatcher must convert the arguments of the caller's events to the types that the flow declares. True
    /// for callers that send only texts.
    var needsArgumentConversion: Bool { get }
    /// Whether the result of `status` begins with `linkedSteps`, the length of the chain of steps that led to the session's
    /// newest change. True for a node that publishes the sessions of other nodes.
    var needsLinkedSteps: Bool { get }
    /// Called when a request of the caller was forbidden, so that the caller's connection can log the refusal. Returns whether
    /// the session's history should record the refusal too; false if the caller had too many refusals.
    func reportForbidden(_ error: RequestError) -> Bool
    /// Whether the caller is disconnected, so that it gets no further reply.
    var isGone: Bool { get }
}

/// A client that sends requests to a `Dispatcher`: a connection, a stream of a browser, a device, or a client of another node.
/// All calls are on the loop's thread.
public protocol Caller: Watcher, Requester {
    /// The earliest instant, by the sessions' clock, at which the caller's present request may have been sent; nil if it is not
    /// known.
    var sentSince: Instant? { get }
    /// Gives the caller the rights of a token, from now on, and returns true. If the token does not exist, changes nothing and
    /// returns false.
    func authenticate(_ token: String) -> Bool
    /// Counts a request against the caller's rate limit. Returns the error if the caller has exceeded the limit, else nil.
    func countRequest() -> RequestError?
    /// Counts a request of the caller that was refused because of the limit of this name. Not called for the caller's rate limit,
    /// which `countRequest` counts.
    func countRefusal(byLimit limit: String)
    /// Starts a subscription to the target. After the reply to `watch`, the caller first gets the missed notifications, and
    /// then newer ones.
    func beginWatch(_ target: WatchTarget, _ missed: Sessions.Missed)
    /// Whether the caller has a subscription to the target.
    func watches(_ target: WatchTarget) -> Bool
    /// The buffer of the replies and notifications for the caller. The buffer holds each of them until its journal row is
    /// durable.
    var outbox: ReplyBuffer { get }
    /// Delivers a deferred result. `ticket` is the number that `outbox` gave the result when it was deferred.
    func deliver(_ ticket: Int, _ answer: DeferredResult.Outcome)
    /// Takes the file descriptor that the client passed over the UNIX socket with its latest data. Nil if it passed none, or if
    /// the descriptor was taken already.
    func takeFile() -> PassedFile?
    /// Ends the subscription to the target.
    func endWatch(_ target: WatchTarget)
}

extension Requester {
    public var needsArgumentConversion: Bool { false }
    public var needsLinkedSteps: Bool { false }
    public func reportForbidden(_ error: RequestError) -> Bool { true }
    public var isGone: Bool { false }
}

/// The defaults for a caller without tokens, limits and files.
extension Caller {
    public var sentSince: Instant? { nil }
    public func authenticate(_ token: String) -> Bool { false }
    public func countRequest() -> RequestError? { nil }
    public func countRefusal(byLimit limit: String) {}
    public func takeFile() -> PassedFile? { nil }
    public func mayObserve(_ session: SessionName) -> Bool { rights.has(.observe, in: session) }
    public func deliver(_ ticket: Int, _ answer: DeferredResult.Outcome) {
        outbox.deliver(ticket, answer)
    }
}

extension Caller {
    /// Counts a refused request if a limit has refused it.
    @inline(never) func countRefusal(_ error: CallError) {
        if let limit = error.limit { countRefusal(byLimit: limit) }
    }

    /// `sentSince` for an event that had this age when it was sent. Nil without an id: then nobody asks, and finding the instant
    /// would cost each request as much as finding its session.
    func sentSince(ofEventWithID id: String?, ageMs: Int) -> Instant? {
        guard id != nil, let sentSince else { return nil }
        guard ageMs > 0 else { return sentSince }
        return sentSince + .milliseconds(-min(ageMs, Int(Duration.longest.milliseconds)))
    }
}
