package import GameFlow
import JSONCoding
import Support

extension KnownFlows {
    /// A sentence about arguments that no event with the name `event` takes. Nil if a flow has such an event that takes them, or if
    /// no known flow has an event with this name. The event may be an event of any flow, because the session's flow is known only
    /// when the session is open.
    ///
    /// If `convertsTexts` is true, the arguments are converted to the types that the event declares: a duration may then have its
    /// short name, with a text such as `90s`.
    package func mistake(in arguments: [Member], of event: String, convertsTexts: Bool) -> String? {
        let fields = flows.flatMap(\.events).filter { $0.name == event }.map(\.parameters)
        guard let firstFields = fields.first else { return nil }
        let fitting = fields.filter { Self.fits(arguments, $0, hasShortNames: convertsTexts) }
        if fitting.isEmpty {
            let parameters = firstFields.map { field in
                guard convertsTexts, let shortName = field.shortName else {
                    return "\(field.name): \(field.type)"
                }
                return "\(shortName): duration"
            }.joined(separator: ", ")
            return "\(event) takes \(parameters.isEmpty ? "nothing" : parameters)"
        }
        let wrong = fitting.compactMap { Self.wrongDuration(in: arguments, $0) }
        guard convertsTexts, let first = wrong.first, wrong.count == fitting.count else {
            return nil
        }
        return
            "\(first): expected a duration such as 90s, or \(first)\(Field.durationSuffix) with milliseconds"
    }

    /// The first argument that has the short name of a duration, and another value than one; nil if all are right.
    private static func wrongDuration(in arguments: [Member], _ fields: [Field]) -> String? {
        arguments.first { argument in
            guard fields.duration(withShortName: argument.name) != nil else { return false }
            // A text with placeholders has its value when the event is sent.
            guard let text = argument.value.text else { return true }
            return !text.contains("$") && DurationText.readSigned(text) == nil
        }?.name
    }

    /// Whether each argument is one of the fields, none twice, and all that are required are there.
    private static func fits(_ arguments: [Member], _ fields: [Field], hasShortNames: Bool) -> Bool
    {
        let names = arguments.map { argument in
            let duration = hasShortNames ? fields.duration(withShortName: argument.name) : nil
            return duration?.name ?? argument.name
        }
        return Set(names).count == names.count
            && names.allSatisfy { name in fields.contains { $0.name.hasSameBytes(as: name) } }
            && fields.allSatisfy { $0.isOptional || names.contains($0.name) }
    }
}
