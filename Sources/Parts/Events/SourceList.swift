package import GameFlow

/// A part of the daemon that has connections to devices.
package protocol SourceList {
    /// Describes the connections with their devices, for the method `sources`. If `name` is given, only those with this name.
    func sources(named name: String?) -> [Value]
}
