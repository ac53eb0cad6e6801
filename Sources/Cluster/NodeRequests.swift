package import GameFlow
package import RPC
package import Sessions
import Support
import Timers

/// The requests that this node itself makes to the owners of sessions. Such a request is an event from one of this node's
/// devices, or a `LinkedStep`: what an `on` line does in another session after a change of one of this node's sessions.
///
/// Requests to one session are sent one at a time, in the order in which they were made. Each request is sent only when the
/// reply to the previous request has arrived. So if a request is repeated at the session's next owner, no later request can
/// overtake it.
package final class NodeRequests {
    /// Finds the owners of sessions.
    package let router: ShardRouter
    /// The waiting requests by session. A session has an entry, perhaps an empty one, while a request to it has been sent and
    /// has no reply.
    private var queues: [SessionName: Deque<QueuedRequest>] = [:]
    /// The number of requests that wait, or were sent and have no reply.
    private(set) var unfinishedCount = 0
    /// The number of request ids that `newID` has returned.
    private var idCount = 0
    /// A random part of the request ids, so that no other process uses the same ids.
    private let randomPart = String(UInt64.random(in: .min ... .max), radix: 36)

    /// The greatest number of unfinished requests. While there are so many, the events of devices are dropped and counted.
    package static let limit = 4096

    /// A function that sends a request through `client`. It calls `sendNextRequest` once: when the request has its
    /// reply, or was not sent.
    package typealias SendRequest = (
        _ client: RoutedClient, _ sendNextRequest: @escaping () -> Void
    ) -> Void

    /// A call of `enqueue` whose request was not sent yet.
    private struct QueuedRequest {
        let source: Source
        let needsArgumentConversion: Bool
        let sendRequest: SendRequest
    }

    package init(_ router: ShardRouter) { self.router = router }

    /// The shard of the session `to`; nil if the session `from` is in the same shard. If the shards differ, the result is not
    /// nil even if this node owns both shards.
    package func shardIfDifferent(_ from: SessionName, _ to: SessionName) -> Int? {
        let shard = router.shard(of: to)
        return shard == router.shard(of: from) ? nil : shard
    }

    /// Whether the events of devices must be dropped, because `limit` is reached.
    package var isFull: Bool { unfinishedCount >= Self.limit }

    /// Returns a request id that is unique among all nodes. A request with an id can be repeated.
    func newID() -> String {
        idCount += 1
        return "in-\(randomPart)-\(idCount)"
    }

    /// Calls `sendRequest` when all earlier requests to the session have their replies, with a `RoutedClient` whose requests
    /// have the source `source`. If `needsArgumentConversion` is true, the owner converts the arguments to the types that the
    /// flow declares.
    package func enqueue(
        from source: Source, to session: SessionName, needsArgumentConversion: Bool,
        _ sendRequest: @escaping SendRequest
    ) {
        let queuedRequest = QueuedRequest(
            source: source, needsArgumentConversion: needsArgumentConversion,
            sendRequest: sendRequest)
        unfinishedCount += 1
        guard queues[session] == nil else {
            queues[session]?.append(queuedRequest)
            return
        }
        queues[session] = Deque()
        sendRequests(queuedRequest, session, nil)
    }

    /// Sends the request `first`. If a request has ended when its `sendRequest` returns, this function also sends the next
    /// request, in a loop: a recursion could make the stack as deep as the queue is long. Consecutive requests with the same
    /// source and the same `needsArgumentConversion` use one caller.
    private func sendRequests(
        _ first: QueuedRequest, _ session: SessionName, _ previousCaller: NodeCaller?
    ) {
        var (next, caller): (QueuedRequest?, NodeCaller?) = (first, previousCaller)
        while let queuedRequest = next {
            if caller?.source.hasSameRelayedValue(as: queuedRequest.source) != true
                || caller?.needsArgumentConversion != queuedRequest.needsArgumentConversion
            {
                caller?.end()
                caller = nil
            }
            let usedCaller =
                caller
                ?? NodeCaller(
                    queuedRequest.source, router,
                    needsArgumentConversion: queuedRequest.needsArgumentConversion)
            var (hasReturned, hasEnded) = (false, false)
            // The closure retains the caller: a released caller gets no reply.
            queuedRequest.sendRequest(usedCaller.routedClient) { [weak self] in
                hasEnded = true
                if hasReturned { self?.requestEnded(session, usedCaller) }
            }
            hasReturned = true
            guard hasEnded else { return }
            (next, caller) = (takeNext(session), usedCaller)
        }
        caller?.end()
    }

    /// Sends the next request to the session; called if a request ends after its `sendRequest` has returned.
    private func requestEnded(_ session: SessionName, _ caller: NodeCaller) {
        guard let next = takeNext(session) else { return caller.end() }
        sendRequests(next, session, caller)
    }

    /// Counts a request as ended, and returns the next request to the session; nil if none waits.
    private func takeNext(_ session: SessionName) -> QueuedRequest? {
        unfinishedCount -= 1
        guard let next = queues[session]?.removeFirst() else {
            queues[session] = nil
            return nil
        }
        return next
    }
}

/// The caller in whose name `NodeRequests` sends requests. Its source is the device, or the session whose change caused the
/// requests. It watches no sessions, so the methods about watches do nothing.
package final class NodeCaller: RoutedCaller {
    package let source: Source
    /// Whether the arguments are texts, which the owner must convert to the types that the flow declares.
    package let needsArgumentConversion: Bool
    /// False: it asks for no status.
    package var needsLinkedSteps: Bool { false }
    package private(set) var isGone = false
    private let router: ShardRouter
    /// The lanes on which the requests are sent.
    package private(set) lazy var routedClient = RoutedClient(self, router)

    package init(_ source: Source, _ router: ShardRouter, needsArgumentConversion: Bool) {
        (self.source, self.router) = (source, router)
        self.needsArgumentConversion = needsArgumentConversion
    }

    /// All rights, because the configuration of this node has determined what is sent.
    package var rights: Rights { .everything }

    package func end() {
        isGone = true
        routedClient.end()
    }

    /// Returns true: each refusal is recorded. Only clients are limited to a number of recorded refusals.
    package func reportForbidden(_ error: RequestError) -> Bool { true }
    package func receive(_ notification: EncodedNotification) {}
    package func beginWatch(_ target: WatchTarget, _ missed: Sessions.Missed) {}
    package func endWatch(_ target: WatchTarget) {}
}
