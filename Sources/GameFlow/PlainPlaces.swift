/// The places of a flow's states as they are without data, made once: most states have none, and a
/// change would otherwise write the same few bytes each time.
final class PlainPlaces<F: Flow> {
    private let places = F.StateName.allCases.map { Place($0.rawValue) }
    private let names = Array(F.StateName.allCases)

    /// The place of a scene, a new one only if it has data.
    func place(_ scene: Scene<F.StateName>) -> Place {
        if scene.data.isEmpty, let known = names.firstIndex(of: scene.name) { return places[known] }
        return Place(scene.name.rawValue, scene.data)
    }
}
