public import JSON

/// What the outside sees of a state: its name and its data.
public struct Scene<Name: RawRepresentable<String>> {
    public let name: Name
    public let data: [Member]

    public init(_ name: Name, _ data: [Member] = []) {
        self.name = name
        self.data = data
    }
}

/// The same with its name as text, for who does not know the flow. Written as JSON only where a line
/// leaves.
public struct Place: Equatable, Sendable {
    public let state: String
    public let data: [Member]

    public init(_ state: String, _ data: [Member] = []) {
        self.state = state
        self.data = data
    }

    init<Name>(_ scene: Scene<Name>) { self.init(scene.name.rawValue, scene.data) }
}

extension Member {
    public init(_ name: String, _ number: Int) { self.init(name, .int(number)) }
    public init(_ name: String, _ text: String) { self.init(name, .string(text)) }
    public init(_ name: String, _ truth: Bool) { self.init(name, .bool(truth)) }
}
