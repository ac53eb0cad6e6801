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
        return collectingTime.map { schema.collecting(for: $0) } ?? schema
    }

    /// Returns the values of the arguments, in the order of their declarations. `members` are the arguments as they were sent,
    /// and `fields` are their declarations as clients see them. Throws if an argument is unknown, is missing, or has the wrong
    /// type. Also throws if the type is `one of` and the argument is not one of the texts of the type. Limits are checked
    /// later, and only if the present state has a row for the event.
    private func read(_ members: [Member], _ fields: [Field]) throws(Reason) -> [Value] {
        try members.checkNames(in: fields)
        var values: [Value] = []
        values.reserveCapacity(arguments.count)
        for (index, field) in fields.enumerated() {
            // Usually the members are in the declared order. Then no search is needed.
            let isInOrder = index < members.count && members[index].isNamed(field.name)
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
    static let sampleLimit = 256

    /// Returns the combinations of the arguments' samples, each as the event and as the arguments that a client would send.
    private func samples(_ index: Int, _ settings: [Value]) -> [(
        event: FileEvent, arguments: [Member]
    )] {
        let samples = arguments.map { argument in
            argument.samples(with: settings) + (argument.type.isOptional ? [.null] : [])
        }
        return Self.combinations(samples).map { values in
            (.received(index, values), members(values))
        }
    }

    /// The values of all arguments as a client would send them. An argument that is null is left out.
    func members(_ values: [Value]) -> [Member] {
        zip(arguments, values).compactMap { argument, value in
            value == .null ? nil : Member(argument.wireName, value)
        }
    }

    /// Returns the first combinations of one value of each list, at most `sampleLimit`. From one combination to the next, the
    /// value of the last list changes first.
    static func combinations(_ lists: [[Value]]) -> [[Value]] {
        guard lists.allSatisfy({ !$0.isEmpty }) else { return [] }
        var indices = Array(repeating: 0, count: lists.count)
        var combinations: [[Value]] = []
        while combinations.count < sampleLimit {
            combinations.append(zip(lists, indices).map { $0[$1] })
            var position = lists.count - 1
            while position >= 0, indices[position] + 1 == lists[position].count {
                indices[position] = 0
                position -= 1
            }
            guard position >= 0 else { break }
            indices[position] += 1
        }
        return combinations
    }

    /// Returns `sampleLimit` combinations of lists that have more. Each value of each list is in one of them.
    static func someCombinations(_ lists: [[Value]]) -> [[Value]] {
        guard lists.allSatisfy({ !$0.isEmpty }) else { return [] }
        // A linear congruential generator: every machine gets the same combinations.
        var state: UInt32 = 1
        var known: Set<[Int]> = []
        var combinations: [[Value]] = []
        let longest = lists.map(\.count).max() ?? 0
        for round in 0..<4 * sampleLimit where combinations.count < sampleLimit {
            let indices = lists.map { list in
                if round < longest { return round % list.count }
                state = state &* 1_664_525 &+ 1_013_904_223
                return Int(state >> 16) % list.count
            }
            guard known.insert(indices).inserted else { continue }
            combinations.append(zip(lists, indices).map { $0[$1] })
        }
        return combinations
    }
}

extension FieldDefinition {
    /// The samples of the argument, and those values of `settings` with which the file compares the argument.
    func samples(with settings: [Value]) -> [Value] {
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
        if let names = type.items { values = names }
        return Field(
            wireName, type: type.wireName, values: values,
            isOptional: type.isOptional || defaultValue != nil, limits: limits,
            // The default null says no more than that the field is optional.
            defaultValue: defaultValue == .null ? nil : defaultValue, isOfFlow: isOfFlow,
            hasIntegers: type.unwrapped.isOrder, hasDeclaredNames: hasDeclaredNames)
    }
}
