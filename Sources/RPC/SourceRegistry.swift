public import GameFlow

/// Lists the devices that send events, and the connections to them.
public protocol SourceRegistry: AnyObject {
    /// Describes each device and connection, or only those with the name `name` if it is not nil. Nil if none has
    /// that name.
    func sources(named name: String?) -> [Value]?
}
