/// Sends requests about sessions to the shards and nodes that own the sessions, in the name of a caller.
package protocol SessionRequests: AnyObject {
    /// Returns a result that is not available yet. The request is sent to the owner when the result is fetched. Requests of one
    /// caller to one session are carried out in their order.
    func route(_ request: RoutedRequest, from caller: any Caller) -> DeferredResult
    /// Calls `work` in a later turn of the loop, so that clients are served meanwhile.
    func callInLaterTurn(_ work: @escaping () -> Void)
}
