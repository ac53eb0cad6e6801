package import GameFlow
package import RPC
package import Sessions
import Support
import Timers

/// The requests that this node itself makes to sessions. Such a request is an event from one of this node's devices, or a
/// `LinkedStep`: what an `on` line does in another session after a change of one of this node's sessions.
///
/// Requests to one session are made one at a time, in the order of the calls of `enqueue`. Each request is made only when the
/// previous request has ended. So if a request is repeated at the session's next owner, no later request can overtake it.
package final class NodeRequests {
    /// Finds the owners of sessions.
    package let router: ShardRouter
    /// The flows, which say what events report the loss and the return of a device.
    let catalog: FlowCatalog
    /// The waiting requests by session. A session has an entry, perhaps an empty one, while a request to it has not ended.
    private var queues: [SessionName: Deque<MakeRequest>] = [:]
    /// The callers of the newest requests that were sent to owners as lines, by session. A released caller gets no reply.
    private var callers: [SessionName: NodeCaller] = [:]
    /// The number of requests that have not ended.
    private(set) var unfinishedCount = 0
    /// The number of request ids that `newID` has returned.
    private var idCount = 0
    /// A random part of the request ids, so that no other process uses the same ids.
    private let randomPart = String(UInt64.random(in: .min ... .max), radix: 36)

    /// The greatest number of unfinished requests. While there are so many, the events of devices are dropped and counted.
    package static let limit = 4096

    /// A function that makes a request. It calls `sendNext` once: when the request has ended.
    package typealias MakeRequest = (_ sendNext: @escaping () -> Void) -> Void

    package init(_ router: ShardRouter, _ catalog: FlowCatalog) {
        (self.router, self.catalog) = (router, catalog)
    }

    /// Whether the events of devices must be dropped, because `limit` is reached.
    package var isFull: Bool { unfinishedCount >= Self.limit }

    /// Returns a request id that is unique among all nodes. A request with an id can be repeated.
    package func newID() -> String {
        idCount += 1
        return "in-\(randomPart)-\(idCount)"
    }

    /// Calls `makeRequest` when all earlier requests to the session have ended.
    package func enqueue(to session: SessionName, _ makeRequest: @escaping MakeRequest) {
        unfinishedCount += 1
        guard queues[session] == nil else {
            queues[session]?.append(makeRequest)
            return
        }
        queues[session] = Deque()
        makeRequests(makeRequest, session)
    }

    /// Makes the request `first`. If a request has ended when its function returns, this function also makes the next request,
    /// in a loop: a recursion could make the stack as deep as the queue is long.
    private func makeRequests(_ first: @escaping MakeRequest, _ session: SessionName) {
        var next: MakeRequest? = first
        while let makeRequest = next {
            var (hasReturned, hasEnded) = (false, false)
            makeRequest { [weak self] in
                hasEnded = true
                guard hasReturned, let self, let next = takeNext(session) else { return }
                makeRequests(next, session)
            }
            hasReturned = true
            guard hasEnded else { return }
            next = takeNext(session)
        }
    }

    /// Counts a request as ended, and returns the next request to the session; nil if none waits.
    private func takeNext(_ session: SessionName) -> MakeRequest? {
        unfinishedCount -= 1
        if let next = queues[session]?.removeFirst() { return next }
        queues[session] = nil
        callers.removeValue(forKey: session)?.end()
        return nil
    }

    /// The client through which the present request to the session is sent to the owner as a line, with the source `source`. If
    /// `needsArgumentConversion` is true, the owner converts the arguments to the types that the flow declares. Consecutive
    /// requests with the same source use one client.
    package func client(
        for session: SessionName, from source: Source, needsArgumentConversion: Bool
    ) -> RoutedClient {
        let earlier = callers[session]
        if let earlier, earlier.source.hasSameRelayedValue(as: source),
            earlier.needsArgumentConversion == needsArgumentConversion
        {
            return earlier.routedClient
        }
        earlier?.end()
        let caller = NodeCaller(source, router, needsArgumentConversion: needsArgumentConversion)
        callers[session] = caller
        return caller.routedClient
    }
}

/// A caller in whose name this node sends requests. For `NodeRequests`, its source is the device, or the session whose change
/// caused the requests. It watches no sessions, so the methods about watches do nothing.
package final class NodeCaller: RoutedCaller {
    package let source: Source
    package let rights: Rights
    package let needsLinkedSteps: Bool
    /// Whether the arguments are texts, which the owner must convert to the types that the flow declares.
    package let needsArgumentConversion: Bool
    package private(set) var isGone = false
    private let router: ShardRouter
    /// The lanes on which the requests are sent.
    package private(set) lazy var routedClient = RoutedClient(self, router)

    /// By default with all rights, because the configuration of this node has determined what is sent.
    package init(
        _ source: Source, _ router: ShardRouter, rights: Rights = .everything,
        needsArgumentConversion: Bool = false, needsLinkedSteps: Bool = false
    ) {
        (self.source, self.router, self.rights) = (source, router, rights)
        self.needsArgumentConversion = needsArgumentConversion
        self.needsLinkedSteps = needsLinkedSteps
    }

    package func end() {
        isGone = true
        routedClient.end()
    }

    package func receive(_ notification: EncodedNotification) {}
    package func beginWatch(_ target: WatchTarget, _ missed: Sessions.Missed) {}
    package func endWatch(_ target: WatchTarget) {}
}
