package import GameFlow

/// Sends requests about sessions to the node and the shard that own them. A daemon that shares its store with no
/// other node has no router.
package protocol RequestRouter: AnyObject {
    /// Begins a request of a peer. The result arrives later, in the order of the peer's requests.
    func route(_ request: RoutedRequest, from peer: any Caller) -> DeferredResult
    /// Describes the nodes of the store and their shards, as members of a result.
    func nodes() -> [Member]
    /// Sets whether the requests of a peer are answered with the owner's address instead of being forwarded to the
    /// owner.
    func redirect(_ isWanted: Bool, _ peer: any Caller)
}
