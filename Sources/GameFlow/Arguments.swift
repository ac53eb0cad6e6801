public import JSON

/// An event's arguments or a state's data, to be asked for by name: `try data("episode")`.
///
/// Asked on behalf of nobody, it answers with samples and keeps the names and types it was asked for:
/// so a state's data is declared once, where it is read.
public struct Arguments {
    private let members: [Member]
    private let recorder: FieldRecorder?

    public init(_ members: [Member] = []) {
        self.members = members
        recorder = nil
    }

    init(recordingTo recorder: FieldRecorder) {
        members = []
        self.recorder = recorder
    }

    /// The argument of that name, as the type that is asked for.
    public func callAsFunction<A: Argument>(_ name: String) throws(Refusal) -> A {
        if let recorder { return recorder.sample(name, A.self) }
        guard let value = members[name] else { throw .invalid(name, "missing") }
        do { return try A(value) } catch { throw .invalid(name, error.why) }
    }
}

/// A name and a type, as clients are told of them.
public struct Field: Equatable, Sendable {
    public let name: String
    public let type: String
}

/// Writes down what is asked for, and answers with samples.
final class FieldRecorder {
    private(set) var fields: [Field] = []

    func sample<A: Argument>(_ name: String, _ type: A.Type) -> A {
        fields.append(Field(name: name, type: A.type))
        return A.samples[0]
    }
}

extension [Member] {
    /// Refuses a member that no field names.
    func only(_ fields: [Field]) throws(Refusal) {
        for member in self where !fields.contains(where: { $0.name == member.name }) {
            throw .invalid(member.name, "unknown")
        }
    }
}
