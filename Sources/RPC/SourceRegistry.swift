public import GameFlow

/// The connections to the devices of the room.
public protocol SourceRegistry: AnyObject {
    /// A description of each connection, in the order of the configuration; of the one with that name, if it is given.
    /// Nil if there is none with that name.
    func sources(named name: String?) -> [Value]?
}
