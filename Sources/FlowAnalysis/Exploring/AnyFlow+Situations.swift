internal import GameFlow
internal import Support

/// Which states with data are equal to a search.
extension AnyFlow {
    /// Returns the part of a place that belongs to a situation: without data that decide nothing, and with the entries of sets
    /// and tallies in one order if their order decides nothing.
    func situationPlace(_ place: StateRecord) -> StateRecord {
        guard let data = searchModel.situationData?[place.state] else { return place }
        return StateRecord(
            place.state,
            place.data.filter { data.names.contains($0.name) }.map { datum in
                data.unordered.contains(datum.name)
                    ? Member(datum.name, datum.value.inCanonicalOrder) : datum
            })
    }

    /// Whether two places are equal, apart from the order of entries that decides nothing.
    func areEqual(_ a: StateRecord, _ b: StateRecord) -> Bool {
        if a == b { return true }
        guard a.state == b.state, let data = searchModel.situationData?[a.state],
            !data.unordered.isEmpty, a.data.count == b.data.count
        else { return false }
        return zip(a.data, b.data).allSatisfy { a, b in
            a == b
                || a.name == b.name && data.unordered.contains(a.name)
                    && a.value.inCanonicalOrder == b.value.inCanonicalOrder
        }
    }
}

extension Value {
    /// The value with the texts of a set, or the names of a tally, in the order of their bytes.
    fileprivate var inCanonicalOrder: Value {
        switch self {
        case .array(let values):
            .array(values.sorted { ByteText($0.text ?? "") < ByteText($1.text ?? "") })
        case .object(let members): .object(members.sorted { ByteText($0.name) < ByteText($1.name) })
        default: self
        }
    }
}
