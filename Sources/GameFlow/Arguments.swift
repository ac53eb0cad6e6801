/// An event's arguments or a state's data, read by name: `try data("episode")`.
///
/// In a sampling run it returns sample values and records the requested names and types. Therefore a state's
/// data is declared only once, where it is read.
public struct Arguments {
    private let members: [Member]
    private let sampler: Sampler?

    public init(_ members: [Member] = []) {
        self.members = members
        sampler = nil
    }

    init(sampledBy sampler: Sampler) {
        members = []
        self.sampler = sampler
    }

    /// Returns the argument with the name `name`. `samples` replaces the type's own samples where these would
    /// be refused.
    public func callAsFunction<A: Argument>(_ name: String, samples: [A] = A.samples)
        throws(Reason) -> A
    {
        if let sampler { return sampler.sample(name, samples) }
        guard let value = members[name] else { throw .invalid(name, "missing") }
        return try read(name, value)
    }

    /// Returns the argument with the name `name`; nil if it was not given.
    public func optional<A: Argument>(_ name: String, samples: [A] = A.samples)
        throws(Reason) -> A?
    {
        if let sampler { return sampler.sampleOptional(name, samples) }
        guard let value = members[name] else { return nil }
        return try read(name, value)
    }

    private func read<A: Argument>(_ name: String, _ value: Value) throws(Reason) -> A {
        do { return try A(value) } catch { throw .invalid(name, error.why) }
    }
}

/// The name and type of a field, as shown to clients.
public struct Field: Equatable, Sendable {
    public let name: String
    public let type: String
    /// All possible values, if the type can list them.
    public let values: [String]
    /// Whether the field may be left out.
    public let isOptional: Bool

    @usableFromInline init<A: Argument>(_ name: String, _ type: A.Type, isOptional: Bool = false) {
        self.name = name
        self.type = A.type
        values = A.values
        self.isOptional = isOptional
    }
}

extension [Member] {
    /// Throws if a member has a name that is not in `fields`.
    @usableFromInline func only(_ fields: [Field]) throws(Reason) {
        for member in self where !fields.contains(where: { $0.name == member.name }) {
            throw .invalid(member.name, "unknown")
        }
    }
}
