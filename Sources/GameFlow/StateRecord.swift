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

    /// Creates a record from the case of a state of a machine without a flow; see `EventRecord`.
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

/// The visible part of a state: its name and its data.
public struct StateDescription<Name: RawRepresentable<String>> {
    public let name: Name
    public let data: [Member]

    @inlinable public init(_ name: Name, _ data: [Member] = []) {
        self.name = name
        self.data = data
    }
}
