internal import GameFlow

/// How an event is read from the wire, and with which arguments the analyses, such as lint, try it.
extension EventDefinition {
    /// The schema of the event, whose index in the file is `index`. `settings` are the values of the flow's settings, in the
    /// order of their declarations. The value of a setting is a sample for each argument that is compared with the setting.
    func schema(_ index: Int, _ settings: [Value]) -> EventSchema<FileEvent> {
        let fields = arguments.map(\.wireField)
        var schema = EventSchema(
            name, fields, samples(index, settings),
            // Clients do not see secret samples, because players may have to find these texts.
            hasSecretSamples: arguments.contains { $0.hasSecretSamples }
        ) { members throws(Reason) in
            .received(index, try read(members, fields))
        }
        schema.allowedSources = sources
        return schema
    }

    /// Returns the values of the arguments, in the order of their declarations. `members` are the arguments as they were sent,
    /// and `fields` are their declarations as clients see them. Throws if an argument is unknown, is missing, or has the wrong
    /// type. Also throws if the type is `one of` and the argument is not one of the texts of the type. Limits are checked
    /// later, and only if the present state has a row for the event.
    private func read(_ members: [Member], _ fields: [Field]) throws(Reason) -> [Value] {
        for member in members where !fields.contains(where: { $0.name == member.name }) {
            throw .invalid(member.name, "unknown")
        }
        var values: [Value] = []
        values.reserveCapacity(arguments.count)
        for (index, field) in fields.enumerated() {
            // Usually the members are in the declared order. Then no search is needed.
            let isInOrder = index < members.count && members[index].name == field.name
            guard let value = isInOrder ? members[index].value : members[field.name] else {
                guard field.isOptional else { throw .invalid(field.name, "missing") }
                values.append(.null)
                continue
            }
            do { values.append(try arguments[index].read(value)) } catch {
                throw .invalid(field.name, error.why)
            }
        }
        return values
    }

    /// The maximum number of combinations of samples with which an event is tried.
    private static let sampleLimit = 256

    /// Returns the combinations of the arguments' samples, each as the event and as the arguments that a client would send.
    private func samples(_ index: Int, _ settings: [Value]) -> [(
        event: FileEvent, arguments: [Member]
    )] {
        var combinations: [[Value]] = [[]]
        for argument in arguments {
            let samples =
                argument.samples(with: settings) + (argument.type.isOptional ? [.null] : [])
            let extended = combinations.flatMap { values in samples.map { values + [$0] } }
            // Combinations above the limit are left out. The others still have a value for every argument.
            combinations = Array(extended.prefix(Self.sampleLimit))
        }
        return combinations.map { values in
            let members = zip(arguments, values).compactMap { argument, value in
                value == .null ? nil : Member(argument.wireName, value)
            }
            return (.received(index, values), members)
        }
    }
}

extension FieldDefinition {
    /// The samples of the argument, and those values of `settings` with which the file compares the argument.
    fileprivate func samples(with settings: [Value]) -> [Value] {
        var samples = samples
        for index in comparedSettings {
            let value = settings[index]
            guard violation(value) == nil, !ValueOperation.contains(samples, value) else {
                continue
            }
            samples.append(value)
        }
        return samples
    }

    /// The field as clients see it.
    var wireField: Field {
        var values: [String] = []
        if case .oneOf(let names) = type.unwrapped { values = names }
        return Field(
            wireName, type: type.wireName, values: values,
            isOptional: type.isOptional || defaultValue != nil, limits: limits)
    }
}
