import GameFlow
import RPC

/// The devices and connections of several registries, as one list.
final class SourceList: SourceRegistry {
    private let parts: [any SourceRegistry]

    init(_ parts: [any SourceRegistry]) { self.parts = parts }

    func sources(named name: String?) -> [Value]? {
        let lists = parts.compactMap { $0.sources(named: name) }
        return lists.isEmpty ? nil : lists.flatMap(\.self)
    }
}
