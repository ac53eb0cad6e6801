/// The places of a flow's states as they are without data, made once: most states have none, and a
/// change would otherwise write the same few bytes each time.
struct PlainPlaces<F: Flow> {
    private let places = F.StateName.allCases.map { ($0, Place($0.rawValue)) }

    /// The place of a scene, a new one only if it has data.
    func place(_ scene: Scene<F.StateName>) -> Place {
        if scene.data.isEmpty, let known = places.first(where: { $0.0 == scene.name }) {
            return known.1
        }
        return Place(scene.name.rawValue, scene.data)
    }
}
