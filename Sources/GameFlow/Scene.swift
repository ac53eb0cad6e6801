public import JSON

/// What the outside sees of a state: its name and its data.
public struct Scene<Name: RawRepresentable<String>> {
    public let name: Name
    public let data: [Member]

    @inlinable public init(_ name: Name, _ data: [Member] = []) {
        self.name = name
        self.data = data
    }
}

extension Member {
    @inlinable public init(_ name: String, _ number: Int) { self.init(name, .int(number)) }
    @inlinable public init(_ name: String, _ text: String) { self.init(name, .string(text)) }
    @inlinable public init(_ name: String, _ truth: Bool) { self.init(name, .bool(truth)) }
}
