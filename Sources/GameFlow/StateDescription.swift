/// The visible part of a state: its name and its data.
public struct StateDescription<Name: RawRepresentable<String>> {
    public let name: Name
    public let data: [Member]

    @inlinable public init(_ name: Name, _ data: [Member] = []) {
        self.name = name
        self.data = data
    }
}
