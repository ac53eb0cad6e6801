package import GameFlow

/// Sends requests about sessions to the node and the shard that own them. A daemon that shares its store with no
/// other node has no router.
package protocol RequestRouter: AnyObject {
    /// Begins a request of a caller. The result arrives later, in the order of the caller's requests.
    func route(_ request: RoutedRequest, from caller: any Caller) -> DeferredResult
    /// Describes the nodes of the store and their shards, as members of a result.
    func nodes() -> [Member]
    /// Sets whether the requests of a caller are answered with the owner's address instead of being forwarded to the
    /// owner.
    func setRedirects(_ areOn: Bool, for caller: any Caller)
}
