/// A state's name and data, for code that does not know the flow's types.
///
/// This is a class, because the state after one change is the state before the next, and they share one object.
public final class StateRecord: Sendable, Hashable {
    public let state: String
    public let data: [Member]

    public init(_ state: String, _ data: [Member] = []) {
        self.state = state
        self.data = data
    }

    /// Creates a record of a state that no `Flow` describes, such as the state of a machine made from closures: the name of the
    /// enum case, and as data the associated values that have a label and are an `Argument`.
    @usableFromInline convenience init<State>(describing state: State) {
        let found = CaseReflection(state)
        self.init(found.name, found.members)
    }

    public static func == (a: StateRecord, b: StateRecord) -> Bool {
        a === b || (a.state == b.state && a.data == b.data)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(state)
        hasher.combine(data)
    }
}

extension StateRecord: CustomStringConvertible {
    /// The name, followed by the data: `finishedLevel episode=1 level=2 score=0`.
    public var description: String {
        ([state] + data.map { "\($0.name)=\($0.value)" }).joined(separator: " ")
    }
}

/// A state's name and data as its flow describes them. The name has the flow's own type; `StateRecord` has it as a text.
public struct StateDescription<Name: RawRepresentable<String>> {
    public let name: Name
    public let data: [Member]

    @inlinable public init(_ name: Name, _ data: [Member] = []) {
        self.name = name
        self.data = data
    }
}
