/// An event's arguments or a state's data, to be asked for by name: `try data("episode")`.
///
/// Asked on behalf of nobody, it answers with samples and keeps the names and types it was asked for:
/// so a state's data is declared once, where it is read.
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

    /// The argument of that name, as the type that is asked for. `samples` are values that may be
    /// found in it, where the type's own would not do.
    public func callAsFunction<A: Argument>(_ name: String, samples: [A] = A.samples)
        throws(Reason) -> A
    {
        if let sampler { return sampler.sample(name, samples) }
        guard let value = members[name] else { throw .invalid(name, "missing") }
        return try read(name, value)
    }

    /// The argument of that name; nil if it was not given.
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

/// A name and a type, as clients are told of them.
public struct Field: Equatable, Sendable {
    public let name: String
    public let type: String
    /// The only values there are, where they can be named.
    public let values: [String]
    /// Whether it may be left out.
    public let isOptional: Bool

    @usableFromInline init<A: Argument>(_ name: String, _ type: A.Type, isOptional: Bool = false) {
        self.name = name
        self.type = A.type
        values = A.values
        self.isOptional = isOptional
    }
}

extension [Member] {
    /// Refuses a member that no field names.
    @usableFromInline func only(_ fields: [Field]) throws(Reason) {
        for member in self where !fields.contains(where: { $0.name == member.name }) {
            throw .invalid(member.name, "unknown")
        }
    }
}
