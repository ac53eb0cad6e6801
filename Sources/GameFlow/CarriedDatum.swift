/// A datum that every state of a flow carries.
@usableFromInline package struct CarriedDatum: Sendable {
    /// Its name on the wire.
    let name: String
    /// Whether its value can be null. A value that is null is left out of a state's data.
    let isNullable: Bool

    package init(name: String, isNullable: Bool) {
        (self.name, self.isNullable) = (name, isNullable)
    }
}

extension AnyFlow {
    /// The data with which a command enters a state: those that the command gives, and the values in `present` of other data that
    /// every state carries.
    func data(given: [Member], carrying present: [Member]) -> [Member] {
        let missing = carriedData.filter { given[$0.name] == nil }
        return given + missing.map { Member($0.name, present[$0.name] ?? .null) }
    }

    /// The data of a recorded state as a command gives them. Data that are null are in the result if a `goto` without them would keep
    /// their present values, because every state carries them, or take their defaults.
    package func dataOfCommand(recorded place: StateRecord) -> [Member] {
        let carried = carriedData.filter(\.isNullable).map(\.name)
        let withDefault = outline?.nullableDefaults[place.state] ?? []
        let missing = Set(carried + withDefault).filter { place.data[$0] == nil }
        return place.data + missing.sorted().map { Member($0, .null) }
    }
}
