public import GameFlow
public import Sessions

/// Whoever is at the other end of a conversation, as the dispatcher needs it.
public protocol Peer: Watcher {
    /// What each change that it causes names as its source.
    var source: Source { get }
    /// It began to watch: what it missed goes out behind the answer, before anything newer.
    func follow(_ target: WatchTarget, _ missed: Sessions.Missed)
    /// Whether it watches that.
    func watches(_ target: WatchTarget) -> Bool
    /// What goes out to it.
    var outbox: Outbox { get }
    /// A reply that was promised is known.
    func fulfil(_ ticket: Int, _ answer: Later.Answer)
    /// It watches that no longer.
    func unfollow(_ target: WatchTarget)
}

extension Peer {
    public func fulfil(_ ticket: Int, _ answer: Later.Answer) { outbox.fulfil(ticket, answer) }
}
