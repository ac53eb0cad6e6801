public import GameFlow

/// Lists the devices that send events, and the connections to these devices. The method `sources` calls it.
public protocol SourceRegistry: AnyObject {
    /// Describes each device and connection, or, if `name` is not nil, only those with this name. Nil if no device or
    /// connection has the name.
    func sources(named name: String?) -> [Value]?
}
