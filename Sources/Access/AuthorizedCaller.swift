package import RPC

/// A client whose rights follow from its identity. The `Authorizer` calls clients with a lasting connection when their rights
/// have changed, and when their token was removed. All calls are on the loop's thread.
package protocol AuthorizedCaller: Caller {
    var identity: Identity { get }
    /// Asks the `Authorizer` for the rights of `identity` again. Called when the rules have changed.
    func updateRights()
    /// Closes the connection. Called when the client's token was removed, or its invitation has ended.
    func close()
}
