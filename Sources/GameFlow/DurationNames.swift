internal import Support
internal import Timers

extension Field {
    /// The end of a duration's name outside a flow: the value is in milliseconds.
    package static let durationSuffix = "Ms"

    /// The name by which people may give a duration, with a text such as `90s`: `left` for `leftMs`. Nil for a field that is no
    /// duration.
    package var shortName: String? {
        guard type == Int.type, name.utf8.count > Self.durationSuffix.utf8.count,
            name.hasSuffix(Self.durationSuffix)
        else { return nil }
        return String(name.dropLast(Self.durationSuffix.count))
    }
}

extension [Field] {
    /// The duration with this short name. Nil for any other name, and if a field has the name itself.
    package func duration(withShortName name: String) -> Field? {
        if contains(where: { $0.name.hasSameBytes(as: name) }) { return nil }
        let longName = name + Field.durationSuffix
        return first { $0.name.hasSameBytes(as: longName) && $0.shortName != nil }
    }
}

extension [Member] {
    /// The members with durations as `fields` have them: `left` with a text such as `90s` becomes `leftMs` with milliseconds, if the
    /// fields have `leftMs` and not `left`. People write durations so. Nil if no member is one.
    package func namingDurations(in fields: [Field]) -> [Member]? {
        var named: [Member]?
        for (index, member) in enumerated() {
            guard let field = fields.duration(withShortName: member.name),
                let text = member.value.text, let duration = DurationText.readSigned(text),
                self[field.name] == nil
            else { continue }
            named = named ?? self
            named?[index] = Member(field.name, .int(Int(duration.milliseconds)))
        }
        return named
    }
}

extension AnyFlow {
    /// The data for a state with durations as its fields have them; see `namingDurations(in:)`.
    func namingDurations(_ data: [Member], of state: String) -> [Member] {
        // People write durations as texts.
        guard data.contains(where: { $0.value.text != nil }) else { return data }
        return fields(of: state).flatMap { data.namingDurations(in: $0) } ?? data
    }
}
