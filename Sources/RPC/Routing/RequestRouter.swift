package import GameFlow

/// Sends requests about sessions to the node and the shard that own them. Nil in a daemon that owns
/// all of its sessions.
package protocol RequestRouter: AnyObject {
    /// Begins a request of a peer. The result arrives later, in the order of the peer's requests.
    func route(_ request: RoutedRequest, from peer: any Caller) -> DeferredResult
    /// The nodes of the store, and their shards.
    func nodes() -> [Member]
    /// Says whether a peer wants to be sent to the owner instead of being forwarded.
    func redirect(_ isWanted: Bool, _ peer: any Caller)
}
