import GameFlow
import RPC
import Sessions
import Support
import Timers

/// The requests of this node itself to the owners of sessions: events of its devices, and sends of its sessions.
///
/// Requests to one session are sent one at a time, in the order in which they were made: the next one when the reply to the one
/// before it has come. So no retry is overtaken by a later request, of the same device or another one.
final class NodeRequests {
    let router: ShardRouter
    /// The requests that wait, by session; an entry without any while one is on its way.
    private var queues: [SessionName: Deque<Job>] = [:]
    /// The number of requests that wait or were sent.
    private(set) var waiting = 0
    private var count = 0
    private let startID = String(UInt64.random(in: .min ... .max), radix: 36)

    /// How many requests may wait for their replies; an input beyond it is dropped and counted.
    static let limit = 4096

    /// Asks, and calls its second argument once when the next request may be sent.
    typealias Work = (RoutedClient, @escaping () -> Void) -> Void

    private struct Job {
        let source: Source
        let convertsArguments: Bool
        let work: Work
    }

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

    /// Does `work` with this source when the earlier requests to this session have their replies.
    func enqueue(
        _ source: Source, to session: SessionName, convertsArguments: Bool, _ work: @escaping Work
    ) {
        let job = Job(source: source, convertsArguments: convertsArguments, work: work)
        waiting += 1
        guard queues[session] == nil else {
            queues[session]?.append(job)
            return
        }
        queues[session] = Deque()
        begin(job, session, nil)
    }

    /// Sends a request, and those behind it as long as each ends before its work returns. Uses the peer of the request before,
    /// if it has the same source.
    private func begin(_ first: Job, _ session: SessionName, _ last: NodePeer?) {
        var (next, peer): (Job?, NodePeer?) = (first, last)
        while let job = next {
            if peer?.source.isRelayed(as: job.source) != true
                || peer?.convertsArguments != job.convertsArguments
            {
                peer?.end()
                peer = nil
            }
            let own =
                peer ?? NodePeer(job.source, router, convertsArguments: job.convertsArguments)
            var (isReturned, isEnded) = (false, false)
            // The closure retains the peer, whose replies would be lost without it.
            job.work(own.routed) { [weak self] in
                isEnded = true
                if isReturned { self?.ended(session, own) }
            }
            isReturned = true
            guard isEnded else { return }
            (next, peer) = (takeNext(session), own)
        }
        peer?.end()
    }

    private func ended(_ session: SessionName, _ peer: NodePeer) {
        guard let next = takeNext(session) else { return peer.end() }
        begin(next, session, peer)
    }

    /// A request has ended; returns the next one.
    private func takeNext(_ session: SessionName) -> Job? {
        waiting -= 1
        guard let next = queues[session]?.removeFirst() else {
            queues[session] = nil
            return nil
        }
        return next
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
