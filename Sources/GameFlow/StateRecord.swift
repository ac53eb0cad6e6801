internal import Support

/// A state's name and data, for code that does not know the flow's types.
///
/// It is a class, so that two changes can share one record: the state after a change is also the state before the next change.
public final class StateRecord: Sendable, Hashable {
    /// The state's name.
    public let state: String
    public let data: [Member]

    /// Creates a record of the state with the name `state`.
    public init(_ state: String, _ data: [Member] = []) {
        self.state = state
        self.data = data
    }

    /// Creates a record of an enum value, for a machine that was made without a flow, for example from a reducer function. The
    /// name is the name of the enum case. The data are the associated values that have a label and conform to `Argument`.
    @usableFromInline convenience init<State>(describing state: State) {
        let reflection = CaseReflection(state)
        self.init(reflection.name, reflection.members)
    }

    public static func == (a: StateRecord, b: StateRecord) -> Bool {
        a === b || (a.state.hasSameBytes(as: b.state) && a.data == b.data)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytesOf: state)
        hasher.combine(data)
    }
}

extension StateRecord: CustomStringConvertible {
    /// The name, followed by the data: `finishedLevel episode=1 level=2 score=0`.
    public var description: String {
        ([state] + data.map { "\($0.name)=\($0.value)" }).joined(separator: " ")
    }
}

/// A state's name and data as its flow describes them. The name has the flow's own type `Name`; in a `StateRecord`, the name is
/// a text.
public struct StateDescription<Name: RawRepresentable<String>> {
    public let name: Name
    public let data: [Member]

    @inlinable public init(_ name: Name, _ data: [Member] = []) {
        self.name = name
        self.data = data
    }
}
