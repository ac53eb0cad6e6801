internal import Sessions
internal import Support

/// Decides when requests to the sessions of one store are executed, and keeps their order. Holds the requests while this
/// process may not act as the owner of the store. Refuses them while the storage is out. Use it on the loop's thread.
public final class RequestGate {
    private let groupCommit: GroupCommit
    /// The requests that wait for a decision, oldest first.
    private var heldRequests = Deque<(Decision) -> Void>()
    /// The number of requests that are held.
    public var heldCount: Int { heldRequests.count }
    /// The number of requests that were held and then decided.
    public private(set) var decidedCount = 0
    /// Whether every further request is held, because another process is about to take over the store.
    public var isClosed = false

    /// What to do with a request.
    public enum Decision: Sendable {
        case execute
        /// The storage is out: even a read is refused, because the sessions in memory may differ from the stored ones. Or the
        /// request was held while the process stood still.
        case refuse(why: String)
        /// The request is not executed, because this process is no longer the owner of the store.
        case drop
    }

    public init(_ groupCommit: GroupCommit) { self.groupCommit = groupCommit }

    /// Calls `request` once with the decision on it: now, or later in the order of the calls.
    public func pass(_ request: @escaping (Decision) -> Void) {
        guard heldRequests.isEmpty, let decision else { return heldRequests.append(request) }
        request(decision)
    }

    /// Passes on the held requests that can pass now. Call it when the process may act as the owner again, and after each
    /// outcome of the store.
    public func retry() {
        while !heldRequests.isEmpty, let decision {
            decidedCount += 1
            heldRequests.removeFirst()?(decision)
        }
    }

    /// Refuses the held requests.
    public func refuseHeld(why: String) { decideHeld(.refuse(why: why)) }

    /// Drops the held requests. Call it when this process is no longer the owner.
    public func discard() { decideHeld(.drop) }

    private func decideHeld(_ decision: Decision) {
        var decided = exchange(&heldRequests, with: Deque())
        while let request = decided.removeFirst() { request(decision) }
    }

    /// The decision on a request at this moment; nil if it is held.
    private var decision: Decision? {
        if isClosed { return nil }
        if let outage = groupCommit.sessions.outage {
            return .refuse(why: outage)
        }
        return groupCommit.mayServe() ? .execute : nil
    }
}
