/// A state's name and data, for who does not know the flow.
///
/// A class: where one change leads is where the next one comes from, and the status between them is the same.
public final class StateRecord: Sendable, Hashable {
    public let state: String
    public let data: [Member]

    public init(_ state: String, _ data: [Member] = []) {
        self.state = state
        self.data = data
    }

    public static func == (a: StateRecord, b: StateRecord) -> Bool {
        a === b || (a.state == b.state && a.data == b.data)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(state)
        hasher.combine(data)
    }
}
