import GameFlow
import RPC
import Sessions
import Support
import Timers

/// The requests of this node itself to the owners of sessions: events of its devices, and sends of its sessions.
///
/// Requests of one source to one session are sent one at a time, in order: the next one when the reply to the one before it
/// has come. So no retry can overtake an earlier request.
final class NodeRequests {
    let router: ShardRouter
    private var queues: [Key: Deque<Work>] = [:]
    /// The number of requests that wait or were sent.
    private(set) var waiting = 0
    private var count = 0
    private let startID = String(UInt64.random(in: .min ... .max), radix: 36)

    /// How many requests may wait for their replies; an input beyond it is dropped and counted.
    static let limit = 4096

    private struct Key: Hashable {
        let source: Source
        let session: SessionName
        let convertsArguments: Bool
    }

    /// Asks, and calls its second argument once when the next request may be sent.
    typealias Work = (RoutedClient, @escaping () -> Void) -> Void

    init(_ router: ShardRouter) { self.router = router }

    /// The shard of the other session, if it is not that of the first one: then another node may own it.
    func remoteShard(_ from: SessionName, _ to: SessionName) -> Int? {
        let shard = router.shard(of: to)
        return shard == router.shard(of: from) ? nil : shard
    }

    var isFull: Bool { waiting >= Self.limit }

    /// An id that no other request has, of any node. A request with it can be repeated.
    func newID() -> String {
        count += 1
        return "in-\(startID)-\(count)"
    }

    /// Does `work` when the earlier requests of this source to this session have their replies.
    func enqueue(
        _ source: Source, to session: SessionName, convertsArguments: Bool, _ work: @escaping Work
    ) {
        let key = Key(source: source, session: session, convertsArguments: convertsArguments)
        waiting += 1
        guard queues[key] == nil else {
            queues[key]?.append(work)
            return
        }
        queues[key] = Deque()
        begin(work, key, NodePeer(source, router, convertsArguments: convertsArguments))
    }

    private func begin(_ work: Work, _ key: Key, _ peer: NodePeer) {
        // The closure retains the peer, whose replies would be lost without it.
        work(peer.routed) { [weak self] in self?.ended(key, peer) }
    }

    private func ended(_ key: Key, _ peer: NodePeer) {
        waiting -= 1
        guard let next = queues[key]?.removeFirst() else {
            queues[key] = nil
            return peer.end()
        }
        begin(next, key, peer)
    }
}

/// This node as the peer of other dispatchers, with the source of a device or a session. It watches nothing.
final class NodePeer: RoutedPeer {
    let source: Source
    let convertsArguments: Bool
    private(set) var isGone = false
    private let router: ShardRouter
    private(set) lazy var routed = RoutedClient(self, router)

    init(_ source: Source, _ router: ShardRouter, convertsArguments: Bool) {
        (self.source, self.router, self.convertsArguments) = (source, router, convertsArguments)
    }

    /// The configuration of this node says what its devices may do.
    var rights: Rights { .everything }

    func end() {
        isGone = true
        routed.end()
    }

    func recordForbidden(_ error: RequestError) -> Bool { true }
    func receive(_ notification: EncodedNotification) {}
    func follow(_ target: WatchTarget, _ missed: Sessions.Missed) {}
    func unfollow(_ target: WatchTarget) {}
}
