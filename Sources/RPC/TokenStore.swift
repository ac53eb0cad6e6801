/// Stores, adds and removes access tokens.
public protocol TokenStore: AnyObject {
    /// The names of the tokens, in order.
    var names: [String] { get }
    /// Makes a token and returns its secret, which cannot be shown again. Throws if the name is
    /// taken, or if the token cannot be stored. A token for URLs is good for nothing else.
    func add(_ name: String, isForURLs: Bool) throws(CallError) -> String
    /// Removes a token, and closes the connections that were authenticated with it. Returns the
    /// number of those connections.
    func remove(_ name: String) throws(CallError) -> Int
}

/// The actions of the method `token`.
public enum TokenAction: String, CaseIterable, Sendable {
    case add, remove, list
}
