/// Sends requests about sessions to the node that owns the shard of the session. `Dispatcher` and `TextDialect` call it;
/// `ShardRouter` implements it. A daemon that shares its store with no other node has no router.
package protocol RequestRouter: SessionRequests {
    /// Sets how the caller's requests about sessions of another node are handled. If `areOn` is true, the answer is the address
    /// of that node. Otherwise the request is forwarded to that node.
    func setRedirects(_ areOn: Bool, for caller: any Caller)
}
