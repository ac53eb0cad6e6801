internal import Support
internal import Timers

extension [Member] {
    /// The members with durations as `fields` have them: `left` with a text such as `90s` becomes `leftMs` with milliseconds, if the
    /// fields have `leftMs` and not `left`. People write durations so. Nil if no member is one.
    package func namingDurations(in fields: [Field]) -> [Member]? {
        var named: [Member]?
        for (index, member) in enumerated()
        where !fields.contains(where: { member.isNamed($0.name) }) {
            let name = member.name + "Ms"
            guard let text = member.value.text, let duration = DurationText.readSigned(text),
                fields.contains(where: { $0.name.hasSameBytes(as: name) && $0.type == Int.type }),
                self[name] == nil
            else { continue }
            named = named ?? self
            named?[index] = Member(name, .int(Int(duration.milliseconds)))
        }
        return named
    }
}

extension AnyFlow {
    /// The data for a state with durations as its fields have them; see `namingDurations(in:)`.
    func namingDurations(_ data: [Member], of state: String) -> [Member] {
        if data.isEmpty { return data }
        return fields(of: state).flatMap { data.namingDurations(in: $0) } ?? data
    }
}
