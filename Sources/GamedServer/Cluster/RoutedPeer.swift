import GameFlow
import RPC
import Sessions

/// Who asks the owners of sessions: a client, or this node itself.
protocol RoutedPeer: AnyObject {
    /// The source that is recorded with each change that it causes.
    var source: Source { get }
    var rights: Rights { get }
    /// Whether owners convert the arguments of its events to the types that the flow declares.
    var convertsArguments: Bool { get }
    /// Whether it gets no further reply.
    var isGone: Bool { get }
    /// Reports that a request was forbidden. Returns whether the refusal should be recorded.
    func recordForbidden(_ error: RequestError) -> Bool
    /// Sends it a notification that another dispatcher wrote.
    func receive(_ notification: EncodedNotification)
    /// A shard of this node has another owner: what the peer watches there goes on elsewhere.
    func shardMoved(_ shard: Int)
    func follow(_ target: WatchTarget, _ missed: Sessions.Missed)
    func unfollow(_ target: WatchTarget)
}

extension RoutedPeer {
    func shardMoved(_ shard: Int) {}
}
