public import GameFlow

/// The devices and the connections to them.
public protocol SourceRegistry: AnyObject {
    /// A description of each one; only of those with that name, if it is given. Nil if no one has that name.
    func sources(named name: String?) -> [Value]?
}
