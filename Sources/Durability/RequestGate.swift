internal import Sessions
internal import Support

/// Lets the requests about one store's sessions pass in their order, and holds them while this process may not act as the owner.
/// Use it on the loop's thread.
public final class RequestGate {
    private let groupCommit: GroupCommit
    private var held = Deque<(Decision) -> Void>()
    /// Whether every further request is held, because the store is given up.
    public var isClosed = false

    /// What to do with a request.
    public enum Decision: Sendable {
        case execute
        /// The storage is out: even a read is refused, because the sessions in memory may differ from the stored ones.
        case refuse(why: String)
    }

    public init(_ groupCommit: GroupCommit) { self.groupCommit = groupCommit }

    /// Calls `request` once with what to do with it: now, or later in the order of the calls.
    public func pass(_ request: @escaping (Decision) -> Void) {
        guard held.isEmpty, let decision else { return held.append(request) }
        request(decision)
    }

    /// Lets held requests pass that can pass now. Call it when the lease may be trusted again, and after each failure of the store.
    public func retry() {
        while !held.isEmpty, let decision { held.removeFirst()?(decision) }
    }

    /// Forgets the held requests.
    public func discard() { held = Deque() }

    /// Nil if a request is held.
    private var decision: Decision? {
        if isClosed { return nil }
        if let outage = groupCommit.sessions.outage {
            return .refuse(why: outage)
        }
        return groupCommit.mayServe() ? .execute : nil
    }
}
