import GameFlow
import RPC

/// Lists the devices of several registries, such as the registries of Bluetooth and of the room. The method `sources` shows
/// this list.
final class SourceList: SourceRegistry {
    private let registries: [any SourceRegistry]

    init(_ registries: [any SourceRegistry]) { self.registries = registries }

    /// The descriptions of the devices with this name, or of all devices if `name` is nil, in the order of the registries. Nil
    /// if no registry has a device with this name.
    func sources(named name: String?) -> [Value]? {
        let lists = registries.compactMap { $0.sources(named: name) }
        return lists.isEmpty ? nil : lists.flatMap(\.self)
    }
}
