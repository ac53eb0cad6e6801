/// Who keeps the tokens by which peers are let in, and takes them away.
public protocol TokenStore: AnyObject {
    /// Their names, in order.
    var names: [String] { get }
    /// Makes a token, which is shown this once. Throws if the name is taken, or it cannot be kept.
    func add(_ name: String) throws(CallError) -> String
    /// Takes a token away, and ends the connections of who was let in by it; how many these were.
    func remove(_ name: String) throws(CallError) -> Int
}

/// What `token` can be asked to do.
public enum TokenAction: String, CaseIterable, Sendable {
    case add, remove, list
}
